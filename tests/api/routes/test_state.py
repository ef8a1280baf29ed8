from fastapi import FastAPI

from alerts.views import AlertView, TransitionView
from store.telemetry.open import Telemetry
from tests.api.conftest import Ask, Switchboard, asking, somebody
from tests.factories.changes import change
from tests.factories.requests import request_rows
from tests.factories.stores import START_NS
from vocabulary.access import Role

FIRING = AlertView(
    *("peak", "Load is near the line", "chat", "m", "firing", START_NS, 4.2, 4.0, 3.0, "fixed"),
    *("page", "load_rps", False, START_NS),
)
STEP = TransitionView("peak", "chat", "m", "pending", "firing", START_NS, 4.2, 4.0, 3.0, "held for 60 s", "fixed")


def test_alerts_come_with_their_transitions_and_the_kind_of_their_line(ask: Ask, board: Switchboard) -> None:
    board.states, board.steps = [FIRING], [STEP] * 3
    body = ask("/api/v1/alerts?limit=2").json()
    (alert,) = body["items"]
    assert (alert["state"], alert["line"], alert["line_kind"], alert["value"]) == ("firing", 4.0, "fixed", 4.2)
    assert alert["since"] == "2025-10-09T08:53:00Z"
    assert [(step["to_state"], step["line_kind"]) for step in body["transitions"]] == [("firing", "fixed")] * 2


def test_no_alerts_are_an_empty_list(ask: Ask) -> None:
    assert ask("/api/v1/alerts").json() == {"items": [], "transitions": [], "next": None}


def test_an_import_tells_how_many_rows_are_stored(ask: Ask, telemetry: Telemetry) -> None:
    telemetry.writer.append_requests(request_rows(12, import_id="azure-1", import_row=lambda position: position))
    assert ask("/api/v1/imports/azure-1").json() == {"import_id": "azure-1", "rows": 12}
    assert ask("/api/v1/imports/never-seen").json()["rows"] == 0


def test_changes_are_told_newest_first_and_cut_in_words(ask: Ask, telemetry: Telemetry) -> None:
    telemetry.writer.append_changes([change(at, subject=f"number {at}") for at in (1, 3, 2)])
    body = ask("/api/v1/changes?limit=2").json()
    assert [item["subject"] for item in body["items"]] == ["number 3", "number 2"]
    assert (body["is_partial"], body["items"][0]["at"]) == (True, "2025-10-09T08:53:03Z")
    whole = ask("/api/v1/changes?limit=3").json()
    assert (len(whole["items"]), whole["is_partial"]) == (3, False)
    assert ask("/api/v1/changes?from=now-1m").json()["items"] == []


def test_what_is_about_the_whole_fleet_is_not_for_the_limited(app: FastAPI) -> None:
    limited = asking(app, somebody(Role.VIEWER, frozenset({"a"})))
    for path in ("/api/v1/alerts", "/api/v1/changes"):
        assert limited(path).status_code == 403
        assert "limited to some tenants" in limited(path).json()["detail"]
    assert limited("/api/v1/imports/x").json()["rows"] == 0
