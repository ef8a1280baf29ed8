from sqlalchemy import insert, literal, select

from store.telemetry.current import AllMinutes, cells, current_keys, current_minutes, load_test_minutes
from store.telemetry.open import Telemetry
from store.telemetry.tables import request_minutes
from tests.factories.stores import START_NS
from vocabulary.pools import MINUTE_NS, Pool, Window


def put(store: Telemetry, build: int, requests: int, **named: object) -> None:
    values = {"service": "a", "model": "m", "minute_ns": START_NS, "build": build, "requests": requests, **named}
    row = select(*(literal(value).label(name) for name, value in values.items()))
    store.writes.execute(insert(request_minutes).from_select(list(values), row))


def seen(store: Telemetry, build: int) -> list[int]:
    rows = store.reads.rows(select(current_minutes(build, ("requests",))))
    return [row["requests"] for row in rows]


def test_the_newest_committed_build_of_a_cell_is_current(telemetry: Telemetry) -> None:
    for build in (1, 2, 5):
        put(telemetry, build, 10 * build)
    assert [seen(telemetry, committed) for committed in (0, 1, 4, 5)] == [[], [10], [20], [50]]


def test_an_emptied_cell_hides_its_older_builds(telemetry: Telemetry) -> None:
    put(telemetry, 1, 10)
    put(telemetry, 2, 0)
    assert seen(telemetry, 2) == []
    assert telemetry.reads.table(current_keys(2)).num_rows == 1


def test_cells_of_a_window_start_at_the_minute_it_cuts(telemetry: Telemetry) -> None:
    put(telemetry, 1, 10)
    for window, found in (
        (Window(START_NS + MINUTE_NS - 1, START_NS + MINUTE_NS), 1),
        (Window(START_NS + MINUTE_NS, START_NS + 2 * MINUTE_NS), 0),
    ):
        assert telemetry.reads.table(current_keys(1, *cells(window, Pool("a", "m")))).num_rows == found
        assert telemetry.reads.table(current_keys(1, *cells(window, Pool("b", "m")))).num_rows == 0


def test_minutes_of_load_tests_are_found_in_the_builds_that_are_shown(telemetry: Telemetry) -> None:
    put(telemetry, 1, 10)
    put(telemetry, 1, 3, minute_ns=START_NS + MINUTE_NS, load_test="lt")
    put(telemetry, 2, 4, minute_ns=START_NS + 2 * MINUTE_NS, load_test="lt")
    found = [row["minute_ns"] for row in telemetry.reads.rows(load_test_minutes(1))]
    assert found == [START_NS + MINUTE_NS]
    rows = telemetry.reads.rows(select(AllMinutes(1).of_load_tests(("requests",))))
    assert [row["requests"] for row in rows] == [3]


def test_all_minutes_are_the_current_rows_of_a_window(telemetry: Telemetry) -> None:
    put(telemetry, 1, 10)
    put(telemetry, 2, 20)
    put(telemetry, 2, 30, minute_ns=START_NS + MINUTE_NS)
    rows = AllMinutes(2).of(("requests",), Window(START_NS, START_NS + MINUTE_NS), Pool("a", "m"))
    assert [row["requests"] for row in telemetry.reads.rows(select(rows))] == [20]
