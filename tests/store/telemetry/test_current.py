from sqlalchemy import insert, literal, select

from store.telemetry.current import cells, current_keys, current_minutes
from store.telemetry.open import Telemetry
from store.telemetry.tables import request_minutes
from tests.factories.stores import START_NS
from vocabulary.pools import MINUTE_NS, Pool, Window


def put(store: Telemetry, build: int, requests: int) -> None:
    values = {"service": "a", "model": "m", "minute_ns": START_NS, "build": build, "requests": requests}
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
