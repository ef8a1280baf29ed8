"""Clocks that were set, and requests from the future and the past."""

from dataclasses import replace
from itertools import count

import pytest

from peakline_server.doctor_clock import EMITTERS, emitters, own, uneven_s
from store.control.open import Control
from store.telemetry.open import Telemetry
from tests.api.conftest import NOW_NS as SERVER_NOW_NS
from tests.factories.requests import request_rows, shown
from tests.factories.stores import START_NS, ledger
from tests.peakline_server.examined_place import NOW_NS, asked, only, place
from vocabulary.pools import SECOND_NS

HOUR_NS = 3600 * SECOND_NS


def test_a_sane_clock_is_told() -> None:
    found = only(own(place()))
    assert (found.state, found.sentence) == ("ok", "The clock says 2026-11-30T12:00:00Z.")


@pytest.mark.parametrize("year_ns", [0, 5_000_000_000 * SECOND_NS])
def test_another_century_is_a_problem(year_ns: int) -> None:
    assert only(own(place(clock_ns=lambda: year_ns))).state == "problem"


def test_a_clock_that_is_set_while_it_is_watched_is_noticed() -> None:
    steady = count()
    wall = iter([100.0, 107.5])
    assert uneven_s(lambda: next(wall), lambda: float(next(steady)), lambda _: None) == 6.5
    assert abs(uneven_s()) < 0.05


def test_the_servers_clock_is_compared_with_ours(peakline: str) -> None:
    server = asked(peakline)
    assert only(own(place(server=server))).state == "ok"
    reply = server.get("/healthz")
    server._replies["/healthz []"] = replace(reply, date="Mon, 30 Nov 2026 12:00:00 GMT", at_ns=NOW_NS + 90 * SECOND_NS)
    found = only(own(place(server=server)))
    assert (found.state, "-90 s" in found.sentence) == ("warning", True)


@pytest.mark.parametrize(
    ("now_ns", "state", "said"),
    [
        (START_NS + 30 * SECOND_NS, "ok", "started 30 s ago"),
        (START_NS - 10 * SECOND_NS, "ok", "started 0 s ago"),
        (START_NS - 600 * SECOND_NS, "problem", "10 min in the future"),
        (START_NS + 3 * HOUR_NS, "ok", "started 3 h ago"),
    ],
)
def test_the_newest_request_tells_of_its_emitters_clock(
    peakline: str, telemetry: Telemetry, control: Control, now_ns: int, state: str, said: str
) -> None:
    shown(telemetry, control, request_rows(1))
    found = only(emitters(place(server=asked(peakline), clock_ns=lambda: now_ns)))
    assert (found.state, said in found.sentence) == (state, True), found


def test_old_requests_that_arrive_now_are_told(peakline: str, telemetry: Telemetry, control: Control) -> None:
    shown(telemetry, control, request_rows(1, -4 * 3600.0))
    row = {"at_ns": SERVER_NOW_NS - 60 * SECOND_NS, "commit_seq": 2, "records": 7, "bodies": 1}
    telemetry.writer.append_ledger(ledger(row))
    found = only(emitters(place(server=asked(peakline), clock_ns=lambda: SERVER_NOW_NS)))
    assert found.state == "warning"
    assert found.sentence == "Spans arrive now, but the newest request, of chat, started 5 h ago."


def test_without_requests_there_is_nothing_to_compare(peakline: str) -> None:
    found = only(emitters(place(server=asked(peakline))))
    assert (found.name, found.state) == (EMITTERS, "skipped")
    assert only(emitters(place())).state == "skipped"
