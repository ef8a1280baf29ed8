from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store.control.builds import Build
from store.control.open import Control
from store.control.rollup_settings import RollupSettings
from store.telemetry.open import Telemetry
from store.telemetry.recount import Recount, rolled_up_pools, stored_cells
from store.telemetry.rollup import Rebuilder
from tests.factories.brute_force import counted, rolled_up
from tests.factories.stores import START_NS, emptied, ledger, request, requests
from tests.store.snapshot import assert_statement
from vocabulary.errors import StoreUnavailableError
from vocabulary.outcomes import DefectKind
from vocabulary.pools import MINUTE_NS, Pool, Window
from vocabulary.services import ALL_KINDS, ServiceBook, ServiceDefinition

HOUR = Window(START_NS, START_NS + 60 * MINUTE_NS)
EVERY = ServiceBook()
HARD = ServiceBook((ServiceDefinition("chat", counted=DefectKind.ERROR),))
SOFT = ServiceBook((ServiceDefinition("chat", counted=DefectKind.SLOW),))


@pytest.fixture(autouse=True)
def plain_again(telemetry: Telemetry) -> Iterator[None]:
    """The store is shared by the tests of a process; none leaves its definitions behind."""
    yield
    telemetry.reader.current_build.services = ServiceBook()


def commit(store: Telemetry, version: int, *rows: dict[str, Any]) -> None:
    store.writer.append_requests(requests(*({**row, "version": version} for row in rows)))
    store.writer.append_ledger(ledger({"commit_seq": version}))


def some_rows() -> list[dict[str, Any]]:
    """Two minutes of two pools, with an error, a slow request and both at once in each."""
    kinds = (DefectKind(0), DefectKind.ERROR, DefectKind.SLOW, DefectKind.ERROR | DefectKind.SLOW)
    return [
        request(minute * 60, service=service, defects=int(kind))
        for service in ("chat", "search")
        for minute in (0, 30)
        for kind in kinds
    ]


def started(store: Telemetry, control: Control, services: ServiceBook) -> Rebuilder:
    """As a process starts, up to its first run."""
    rollup = store.rollup(control, services=services)
    rollup.recover()
    return rollup


def remembered(control: Control) -> Sequence[str]:
    return RollupSettings(control.engine).counted_kinds()


def defective(store: Telemetry, service: str) -> list[int]:
    found: list[int] = store.reader.minutes(Pool(service, "m"), HOUR)["defective"].to_pylist()
    return found


def test_a_start_with_other_definitions_counts_their_pools_again(telemetry: Telemetry, control: Control) -> None:
    commit(telemetry, 1, *some_rows())
    assert started(telemetry, control, EVERY).run() == 4
    assert (defective(telemetry, "chat"), defective(telemetry, "search")) == ([3, 3], [3, 3])
    rollup = started(telemetry, control, HARD)
    assert rollup.run() == 2
    assert (defective(telemetry, "chat"), defective(telemetry, "search")) == ([2, 2], [3, 3])
    assert rolled_up(telemetry) == counted(telemetry, HARD)
    assert (rollup.run(), rollup.pending()) == (0, 0)
    assert remembered(control) == (HARD.counted_text,)


def test_a_store_from_before_definitions_was_counted_by_every_kind(telemetry: Telemetry, control: Control) -> None:
    commit(telemetry, 1, *some_rows())
    started(telemetry, control, EVERY).run()
    RollupSettings(control.engine).remember_counted_kinds([])
    assert started(telemetry, control, EVERY).run() == 0
    RollupSettings(control.engine).remember_counted_kinds([])
    assert started(telemetry, control, HARD).run() == 2
    assert rolled_up(telemetry) == counted(telemetry, HARD)


def test_the_kinds_are_kept_apart_however_few_count(telemetry: Telemetry, control: Control) -> None:
    nothing = ServiceBook((ServiceDefinition(counted=DefectKind(0)),))
    commit(telemetry, 1, *some_rows())
    started(telemetry, control, nothing).run()
    minutes = telemetry.reader.minutes(Pool("chat", "m"), HOUR)
    assert minutes["defective"].to_pylist() == [0, 0]
    assert (minutes["defect_error"].to_pylist(), minutes["defect_slow"].to_pylist()) == ([2, 2], [2, 2])


def test_definitions_that_are_adopted_count_from_the_next_run(telemetry: Telemetry, control: Control) -> None:
    commit(telemetry, 1, *some_rows())
    rollup = started(telemetry, control, EVERY)
    rollup.run()
    rollup.adopt(SOFT)
    assert rollup.run() == 2
    assert rolled_up(telemetry) == counted(telemetry, SOFT)
    commit(telemetry, 2, request(61, defects=int(DefectKind.ERROR)))
    rollup.catch_up()
    rollup.run()
    assert rolled_up(telemetry) == counted(telemetry, SOFT)
    rollup.adopt(EVERY)
    rollup.run()
    assert rolled_up(telemetry) == counted(telemetry)


def test_a_change_that_touches_no_counting_counts_nothing_again(telemetry: Telemetry, control: Control) -> None:
    commit(telemetry, 1, *some_rows())
    rollup = started(telemetry, control, EVERY)
    rollup.run()
    rollup.adopt(ServiceBook((ServiceDefinition("chat", risk_thresholds={"core": 0.1}),)))
    assert rollup.run() == 0
    rollup.adopt(ServiceBook((ServiceDefinition("nobody", counted=DefectKind.SLOW),)))
    assert rollup.run() == 0
    assert rolled_up(telemetry) == counted(telemetry)


def test_the_newest_minutes_are_counted_again_first_and_all_of_them_in_the_end(
    telemetry: Telemetry, control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.telemetry.recount.CELLS_AT_ONCE", 1)
    commit(telemetry, 1, *some_rows())
    started(telemetry, control, EVERY).run()
    rollup = started(telemetry, control, HARD)
    assert rollup.run() == 1
    assert rollup.pending() == 1
    assert defective(telemetry, "chat") == [3, 2]
    assert remembered(control) == (EVERY.counted_text, HARD.counted_text)
    assert rollup.run() == 1
    assert rolled_up(telemetry) == counted(telemetry, HARD)
    assert remembered(control) == (HARD.counted_text,)


def test_new_data_does_not_wait_for_what_is_counted_again(
    telemetry: Telemetry, control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.telemetry.recount.CELLS_AT_ONCE", 1)
    commit(telemetry, 1, *some_rows())
    started(telemetry, control, EVERY).run()
    rollup = started(telemetry, control, HARD)
    commit(telemetry, 2, request(600, service="new"))
    rollup.catch_up()
    rollup.run()
    assert telemetry.reader.minutes(Pool("new", "m"), HOUR).num_rows == 1
    assert rollup.pending() == 1


def test_a_change_taken_back_half_way_leaves_nothing_counted_by_it(
    telemetry: Telemetry, control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.telemetry.recount.CELLS_AT_ONCE", 1)
    commit(telemetry, 1, *some_rows())
    started(telemetry, control, EVERY).run()
    started(telemetry, control, HARD).run()
    assert defective(telemetry, "chat") == [3, 2]
    again = started(telemetry, control, EVERY)
    while again.run() or again.pending():
        pass
    assert rolled_up(telemetry) == counted(telemetry)
    assert remembered(control) == (EVERY.counted_text,)


def test_a_run_that_fails_forgets_no_older_counting(
    telemetry: Telemetry, control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(telemetry, 1, *some_rows())
    started(telemetry, control, EVERY).run()
    rollup = started(telemetry, control, HARD)

    def fail(build: Build) -> None:
        raise StoreUnavailableError(f"no pointer for {build.build}")

    with monkeypatch.context() as patch:
        patch.setattr(control.builds, "commit", fail)
        with pytest.raises(StoreUnavailableError):
            rollup.run()
    assert (rollup.pending(), defective(telemetry, "chat")) == (2, [3, 3])
    assert remembered(control) == (EVERY.counted_text, HARD.counted_text)
    restarted = started(telemetry, control, HARD)
    restarted.run()
    assert rolled_up(telemetry) == counted(telemetry, HARD)


def test_what_cannot_be_looked_up_now_is_looked_up_by_the_next_run(
    telemetry: Telemetry, control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(telemetry, 1, *some_rows())
    rollup = started(telemetry, control, EVERY)
    rollup.run()
    rollup.adopt(HARD)

    def fail(_recount: Recount, *_books: object) -> None:
        message = "gone"
        raise StoreUnavailableError(message)

    with monkeypatch.context() as patch:
        patch.setattr(Recount, "_found", fail)
        with pytest.raises(StoreUnavailableError):
            rollup.run()
    rollup.run()
    assert rolled_up(telemetry) == counted(telemetry, HARD)


def test_minutes_without_stored_requests_stay_as_they_were_counted(telemetry: Telemetry, control: Control) -> None:
    commit(telemetry, 1, *some_rows())
    started(telemetry, control, EVERY).run()
    telemetry.writes.execute_text("TRUNCATE TABLE requests")
    assert started(telemetry, control, HARD).run() == 0
    assert defective(telemetry, "chat") == [3, 3]


def test_a_limited_reader_counts_by_the_same_definitions(telemetry: Telemetry, control: Control) -> None:
    commit(telemetry, 1, *({**row, "tenant": "acme"} for row in some_rows()))
    rollup = started(telemetry, control, HARD)
    rollup.run()
    limited = telemetry.reader.within(frozenset({"acme"})).snapshot()
    assert limited.minutes(Pool("chat", "m"), HOUR)["defective"].to_pylist() == defective(telemetry, "chat") == [2, 2]


BOOKS: st.SearchStrategy[ServiceBook] = st.lists(
    st.tuples(
        st.sampled_from(["*", "a", "b", "a*"]),
        st.sampled_from([ALL_KINDS, DefectKind.ERROR, DefectKind.SLOW, DefectKind(0)]),
    ),
    max_size=3,
).map(lambda told: ServiceBook(tuple(ServiceDefinition(service, counted=kinds) for service, kinds in told)))
ROWS = st.lists(
    st.tuples(st.sampled_from(["a", "ab", "b"]), st.integers(0, 3 * 60), st.sampled_from([0, 1, 128, 129])),
    max_size=6,
)
STEPS: st.SearchStrategy[list[tuple[ServiceBook, bool, list[tuple[str, int, int]]]]] = st.lists(
    st.tuples(BOOKS, st.booleans(), ROWS), min_size=1, max_size=4
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_rollups_equal_brute_force_after_any_changes_of_definitions(
    telemetry: Telemetry, control: Control, steps: list[tuple[ServiceBook, bool, list[tuple[str, int, int]]]]
) -> None:
    rollup = fresh(telemetry, control)
    for version, (services, is_restart, rows) in enumerate(steps, start=1):
        commit(telemetry, version, *(request(at, service=name, defects=bits) for name, at, bits in rows))
        if is_restart:
            rollup = telemetry.rollup(control, services=services)
            rollup.recover()
        else:
            rollup.adopt(services)
            rollup.catch_up()
        rollup.run()
        assert rolled_up(telemetry) == counted(telemetry, services)
        assert (remembered(control) or (EVERY.counted_text,)) == (services.counted_text,)


def fresh(telemetry: Telemetry, control: Control) -> Rebuilder:
    """Both stores as at their first start."""
    emptied(telemetry)
    with control.engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM rollup_builds")
        connection.exec_driver_sql("DELETE FROM rollup_settings")
    return telemetry.rollup(control)


@pytest.mark.parametrize(
    ("name", "statement"),
    [
        ("recount_pools", rolled_up_pools),
        ("recount_cells", lambda: stored_cells([Pool("chat", "m"), Pool("search", "m")])),
    ],
)
def test_statements_are_those_of_the_snapshots(telemetry: Telemetry, name: str, statement: Callable[[], Any]) -> None:
    assert_statement(name, telemetry.writes, statement())
