import re
from pathlib import Path
from typing import Any

from api.routes.receiving import PATH_ITEM
from tests.api.conftest import Ask


def test_the_receiver_is_documented_with_its_body_and_every_answer(ask: Ask) -> None:
    document: Any = ask("/api/openapi.json").json()
    operation = document["paths"]["/v1/traces"]["post"]
    assert list(operation["requestBody"]["content"]) == ["application/x-protobuf"]
    assert set(operation["responses"]) >= {"200", "400", "413", "415", "503"}
    assert all("application/x-protobuf" in answer["content"] for answer in operation["responses"].values())
    assert "Retry-After" in operation["responses"]["503"]["headers"]


def test_its_answers_are_those_that_senders_are_told() -> None:
    page = (Path(__file__).parents[3] / "docs" / "ingest.md").read_text()
    assert set(re.findall(r"^\| (\d{3})", page, re.MULTILINE)) == set(PATH_ITEM["post"]["responses"])
