import re
from typing import Any

import pytest

from tests.api.conftest import Ask

SURFACE = ("/api/v1/", "/v1/traces", "/healthz", "/readyz")


@pytest.fixture
def document(ask: Ask) -> Any:
    return ask("/api/openapi.json").json()


def test_the_document_lists_the_surface_and_nothing_of_the_dashboard(document: Any) -> None:
    assert document["info"] == {"title": "Peakline", "version": "1.2.3"}
    assert "/api/v1/reports/tiers" in document["paths"]
    assert not [
        path for path in document["paths"] if not path.startswith(("/api/v1/", "/v1/traces", "/healthz", "/readyz"))
    ]


def test_every_operation_documents_its_answer_and_its_problems(document: Any) -> None:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if path == "/v1/traces":
                continue
            answers, where = operation["responses"], (method, path)
            (success,) = set(answers) & {"200", "201", "204"}
            if success != "204":
                assert "$ref" in answers[success]["content"]["application/json"]["schema"], where
            assert "application/problem+json" in answers["default"]["content"], where
            assert "422" not in answers, where
            assert operation["summary"], where
            assert operation["description"], where


def test_the_document_says_what_a_caller_needs(document: Any) -> None:
    assert set(document["components"]["securitySchemes"]) == {"token", "session"}
    assert document["security"] == [{"token": []}, {"session": []}]
    assert document["paths"]["/healthz"]["get"]["security"] == []
    assert document["paths"]["/v1/traces"]["post"]["security"] == [{"token": []}]
    described = document["paths"]["/api/v1/alerts"]["get"]["description"]
    assert described.endswith("Needs `read`; not answered to callers that are limited to tenants.")
    assert document["paths"]["/api/v1/me"]["get"]["description"].endswith("Needs any token or session.")


def test_bodies_are_described_field_by_field(document: Any) -> None:
    body = document["paths"]["/api/v1/tokens"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert (body["title"], body["required"], body["additionalProperties"]) == ("NewToken", ["name", "role"], False)
    assert body["properties"]["role"]["enum"] == ["admin", "auditor", "ingest", "operator", "viewer"]
    assert "$ref" not in str(body)


def test_every_reference_in_the_document_leads_somewhere(document: Any) -> None:
    schemas = document["components"]["schemas"]
    references = set(re.findall(r'"\$ref": ?"#/components/schemas/([^"]+)"', str(document).replace("'", '"')))
    assert "Problem" in references
    assert references <= set(schemas)


def test_every_parameter_is_described(document: Any) -> None:
    for path, methods in document["paths"].items():
        for parameter in [found for operation in methods.values() for found in operation.get("parameters", [])]:
            assert parameter["in"] == "path" or parameter["description"], (path, parameter["name"])


def test_the_page_brings_everything_along(ask: Ask) -> None:
    page = ask("/api/docs")
    assert page.headers["content-type"].startswith("text/html")
    links = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert {"/api/docs/docs.css", "/api/docs/docs.js", "/api/openapi.json"} <= set(links)
    for link in links:
        assert link.startswith(("/api/", "data:")), link
        assert link.startswith("data:") or ask(link).status_code == 200
    assert not re.search(r"<script(?![^>]*src=)", page.text)
    assert not re.search(r'\s(?:style|on\w+)="', page.text)


@pytest.mark.parametrize("name", ["docs.css", "docs.js"])
def test_the_assets_ask_nobody_else(ask: Ask, name: str) -> None:
    response = ask(f"/api/docs/{name}")
    assert response.headers["content-type"].startswith("text/")
    assert "http" not in response.text
    assert "innerHTML" not in response.text


def test_no_other_file_is_served(ask: Ask) -> None:
    for name in ("..%2Fapp.py", "..%2F..%2Fapi%2Fapp.py", "app.py", "docs.json"):
        assert ask(f"/api/docs/{name}").status_code == 404
