"""The example can be used as it is, its commented lines too, and the schema knows every key."""

import re
from pathlib import Path
from typing import Any

from peakline_server.configuration.catalogue import by_path, settings
from peakline_server.configuration.documents import example, json_schema, table, variables_table
from peakline_server.configuration.from_file import read_file
from peakline_server.configuration.parts import Configuration
from tests.peakline_server.configuration.conftest import Read

COMMENTED = re.compile(r"^(\s*)# ((?:- |  )*[a-z_]+: ?\S.*|(?:  )*(?:objectives|tiers|prices):)$")


def test_the_example_can_be_used_as_it_is_and_changes_nothing(read: Read) -> None:
    assert read(example()).configuration == Configuration()


def test_every_line_of_the_example_that_is_commented_out_can_be_used(tmp_path: Path) -> None:
    lines = [COMMENTED.sub(r"\1\2", line) for line in example().splitlines()]
    for one in settings():
        if one.example.endswith((".pem", ".key", ".yaml", ".secret")) or one.is_secret:
            (tmp_path / one.example.replace("/", "_")).write_text("x")
    text = re.sub(r"(_file: )(.*)/(.*)", r"\1\2_\3", "\n".join(lines))
    path = tmp_path / "peakline.yaml"
    path.write_text(text)
    path.chmod(0o600)
    told = read_file(path)
    assert told.mistakes == []
    assert {given.setting.path for given in told.given} == set(by_path())
    for given in told.given:
        given.read()


def test_the_example_has_a_sentence_on_every_setting() -> None:
    text = " ".join(example().replace("#", " ").split())
    assert not [one.name for one in settings() if one.sentence not in text]


def test_the_table_has_every_setting_once() -> None:
    assert re.findall(r"^\| `([a-z_.0-9]+)` \|", table(), re.MULTILINE) == [one.name for one in settings()]
    assert all(line.count(" | ") == 4 for line in table().splitlines()[2:])


def test_other_variables_have_a_table() -> None:
    assert "| `PEAKLINE_CONFIG` |" in variables_table()


def test_the_schema_knows_every_key_and_refuses_others() -> None:
    schema = json_schema()
    for one in settings():
        described: Any = schema
        for step in one.path:
            assert described["additionalProperties"] is False
            described = described["properties"][step]
            if "$ref" in described:
                described = schema["$defs"][described["$ref"].rpartition("/")[2]]
    assert "client_secret_file" in schema["$defs"]["Oidc"]["properties"]
    assert schema["$defs"]["Access"]["properties"]["session_idle"]["default"] == "2h"
    assert "null" not in str(schema)
