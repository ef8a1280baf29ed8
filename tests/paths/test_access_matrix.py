"""The matrix of docs/access.md is what the server does: every route, every callback, every kind of credential."""

import json
import re
import subprocess
import sys
from collections.abc import Mapping

import pytest

from tests.house.tree import ROOT

COLUMNS = ("none", "bad", "ingest", "viewer", "operator", "auditor", "admin", "limited")
BAD = ("wrong", "expired", "revoked")
CELLS = {"yes", "no", "401", "log-in"}
Table = Mapping[str, Mapping[str, str]]


def table(name: str) -> dict[str, dict[str, str]]:
    """A table of the document: what is asked -> column -> cell."""
    text = (ROOT / "docs" / "access.md").read_text()
    part = text.partition(f"<!-- {name} -->")[2].partition(f"<!-- end {name} -->")[0]
    lines = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in part.strip().splitlines()]
    assert tuple(lines[0][1:]) == COLUMNS
    rows = {line[0].strip("`"): dict(zip(COLUMNS, line[1:], strict=True)) for line in lines[2:]}
    assert len(rows) == len(lines) - 2, "a row stands twice"
    assert {cell for row in rows.values() for cell in row.values()} <= CELLS
    return rows


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, dict[str, int]]]:
    folder = tmp_path_factory.mktemp("access")
    command = [sys.executable, "-m", "tests.paths.access_walk", str(folder / "data")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, dict[str, int]]] = json.loads(done.stdout)
    return found


def row_of(rows: Table, asked: str) -> str | None:
    """The row that speaks of a route: its own, that of GET for HEAD, or that of any method."""
    method, path = asked.split(" ", 1)
    names = (asked, f"GET {path}" if method == "HEAD" else asked, f"ANY {path}")
    return next((name for name in names if name in rows), None)


def seen(statuses: Mapping[str, int]) -> dict[str, str]:
    """What the server did, in the words of the table."""
    words = {column: word(status) for column, status in statuses.items()}
    bad = {words.pop(column) for column in BAD}
    return words | {"bad": bad.pop() if len(bad) == 1 else "differs"}


def word(status: int) -> str:
    refused = {401: "401", 403: "no", 303: "log-in"}
    return refused.get(status, "yes" if status < 500 else f"fails with {status}")


def disagreements(rows: Table, routes: Mapping[str, Mapping[str, int]]) -> dict[str, str]:
    """Routes without a row, and routes that do otherwise than theirs says."""
    wrong = {}
    for asked, statuses in routes.items():
        name = row_of(rows, asked)
        if name is None:
            wrong[asked] = "has no row in docs/access.md"
        elif (told := seen(statuses)) != rows[name]:
            wrong[asked] = f"{told}, the table says {rows[name]}"
    return wrong


def test_every_route_has_a_row_and_does_what_it_says(walked: dict[str, dict[str, dict[str, int]]]) -> None:
    assert disagreements(table("matrix"), walked["routes"]) == {}


def test_every_row_is_a_route_that_exists(walked: dict[str, dict[str, dict[str, int]]]) -> None:
    rows = table("matrix")
    assert set(rows) - {row_of(rows, asked) for asked in walked["routes"]} == set()


def test_every_callback_has_a_row_and_does_what_it_says(walked: dict[str, dict[str, dict[str, int]]]) -> None:
    rows = table("callbacks")
    found = {readable(output): seen(statuses) for output, statuses in walked["callbacks"].items()}
    assert found == rows


def readable(output: str) -> str:
    """The outputs of a callback, without what Dash adds to tell equal ones apart."""
    return " ".join(re.sub(r"@[0-9a-f]+", "", one) for one in output.strip(".").split("..."))


def test_a_new_route_without_a_row_is_noticed(walked: dict[str, dict[str, dict[str, int]]]) -> None:
    routes = walked["routes"]
    assert len(routes) > 50
    added = {"POST /api/v1/replays": routes["POST /api/v1/tokens"]}
    assert disagreements(table("matrix"), routes | added) == {"POST /api/v1/replays": "has no row in docs/access.md"}


@pytest.mark.parametrize(("column", "status"), [("operator", 200), ("revoked", 200), ("none", 200), ("admin", 403)])
def test_one_wrong_answer_is_noticed(walked: dict[str, dict[str, dict[str, int]]], column: str, status: int) -> None:
    asked = "GET /api/v1/tokens"
    changed = walked["routes"][asked] | {column: status}
    assert set(disagreements(table("matrix"), walked["routes"] | {asked: changed})) == {asked}
