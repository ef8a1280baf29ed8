from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, insert, select
from sqlalchemy.sql import ClauseElement

from store.control.builds import Build, Builds
from store.control.open import Control
from store.telemetry.chunks import Cell
from store.telemetry.open import Telemetry
from store.telemetry.rollup import READERS_GONE_NS, Rebuilder
from store.telemetry.tables import request_minutes
from tests.conftest import CountingClock
from tests.factories.brute_force import counted, rolled_up
from tests.factories.stores import START_NS, emptied, ledger, request, requests
from vocabulary.errors import StoreUnavailableError
from vocabulary.pools import MINUTE_NS, Pool, Window

HOUR = Window(START_NS, START_NS + 60 * MINUTE_NS)
CHAT = Pool("chat", "m")


@pytest.fixture
def rollup(telemetry: Telemetry, control: Control) -> Rebuilder:
    return telemetry.rollup(control)


def cells(rows: Sequence[dict[str, Any]]) -> set[Cell]:
    return {(row["service"], row["model"], row["anchor_ns"] // MINUTE_NS * MINUTE_NS) for row in rows}


def put(store: Telemetry, rollup: Rebuilder, *rows: dict[str, Any]) -> None:
    """Write and mark, as ingestion does."""
    store.writer.append_requests(requests(*rows))
    rollup.mark(cells(rows), max(row["version"] for row in rows))


def test_nothing_dirty_is_no_build(rollup: Rebuilder, control: Control) -> None:
    assert rollup.run() == 0
    assert control.builds.last().build == 0


def test_minutes_show_only_after_their_pointer_is_committed(telemetry: Telemetry, rollup: Rebuilder) -> None:
    put(telemetry, rollup, request(1), request(61))
    assert rollup.pending() == 2
    assert telemetry.reader.minutes(CHAT, HOUR).num_rows == 0
    assert rollup.run() == 2
    assert rollup.pending() == 0
    assert telemetry.reader.minutes(CHAT, HOUR).column("requests").to_pylist() == [1, 1]


def test_a_pointer_says_what_it_covers(telemetry: Telemetry, rollup: Rebuilder, control: Control) -> None:
    put(telemetry, rollup, request(1, version=41), request(2, version=41))
    rollup.run()
    last = control.builds.last()
    assert (last.build, last.version, last.minutes) == (1, 41, 1)


def test_every_column_equals_a_count_by_hand(telemetry: Telemetry, rollup: Rebuilder) -> None:
    put(
        telemetry,
        rollup,
        request(1, e2e_s=0.5, server_ttft_s=0.1, client_ttft_s=9.0, input_tokens=10, output_tokens=3),
        request(2, outcome="failed", defects=1 | 16, e2e_s=None, client_ttft_s=0.2, replica="r1"),
        request(3, service_tier="core", outcome="rejected", defects=2, replica="", e2e_s=0.0),
        request(4, load_test="lt", load_test_step=2, offered_rps=7.5, outcome="timed_out", defects=4),
        request(5, service="other", outcome="unknown", end_ns=None),
        request(6, end_ns=START_NS + 130_000_000_000, replica="r2"),
        request(170),
        request(400),
    )
    rollup.run()
    found = rolled_up(telemetry)
    assert found == counted(telemetry)
    first = found["chat", "m", START_NS, "general", "", -1, 0.0]
    assert (first["requests"], first["replicas_ready"], first["load_rps"]) == (3, 2, 4 / 60 / 2)
    assert found["chat", "m", START_NS, "general", "lt", 2, 7.5]["load_rps"] == 7.5
    assert first["ttft_sketch"] == {-24: 1, -16: 1}


def test_a_new_version_replaces_the_old_one_in_its_minute(telemetry: Telemetry, rollup: Rebuilder) -> None:
    row = request(1, outcome="failed", defects=1)
    put(telemetry, rollup, row)
    rollup.run()
    put(telemetry, rollup, {**row, "version": 2, "outcome": "completed", "defects": 0})
    rollup.run()
    assert rolled_up(telemetry) == counted(telemetry)
    assert telemetry.reader.outcome_totals(HOUR)["failed"] == 0


def test_a_minute_whose_requests_are_all_retracted_becomes_empty(telemetry: Telemetry, rollup: Rebuilder) -> None:
    row = request(1)
    put(telemetry, rollup, row)
    rollup.run()
    put(telemetry, rollup, {**row, "version": 2, "is_retracted": True})
    rollup.run()
    assert rolled_up(telemetry) == {}
    assert telemetry.reader.pools(HOUR) == []


def test_a_request_that_moves_to_another_pool_leaves_the_old_one(telemetry: Telemetry, rollup: Rebuilder) -> None:
    row = request(1, service="old")
    put(telemetry, rollup, row)
    rollup.run()
    telemetry.writer.append_requests(requests({**row, "version": 2, "service": "new"}))
    rollup.mark([("old", "m", START_NS), ("new", "m", START_NS)], 2)
    rollup.run()
    assert [activity.pool.service for activity in telemetry.reader.pools(HOUR)] == ["new"]


def test_a_late_end_makes_its_replica_ready_in_later_minutes(telemetry: Telemetry, rollup: Rebuilder) -> None:
    put(telemetry, rollup, request(60 * 9), request(60 * 11))
    rollup.run()
    put(telemetry, rollup, request(1, end_ns=START_NS + 9 * MINUTE_NS, replica="r5", version=2))
    rollup.run()
    assert rolled_up(telemetry) == counted(telemetry)
    assert telemetry.reader.minutes(CHAT, HOUR).column("replicas_ready").to_pylist() == [1, 2, 2]


ROWS = st.lists(
    st.tuples(
        *(st.integers(0, 3), st.integers(0, 4 * 60), st.integers(0, 1000), st.sampled_from(["a", "b"])),
        *(st.sampled_from(["", "r0", "r1"]), st.booleans(), st.sampled_from(["completed", "failed", "unknown"])),
        st.sampled_from(["", "lt"]),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=st.lists(ROWS, min_size=1, max_size=3))
def test_rollups_equal_brute_force_after_every_batch(
    telemetry: Telemetry, control: Control, batches: list[list[tuple[int, int, int, str, str, bool, str, str]]]
) -> None:
    rollup = fresh(telemetry, control)
    pools_of: dict[tuple[int, int], set[str]] = {}
    for version, batch in enumerate(batches, start=1):
        rows = {}
        for number, second, seconds, service, replica, is_retracted, outcome, load_test in batch:
            pools_of.setdefault((number, second), set()).add(service)
            rows[number, second] = request(
                second,
                request_key=number.to_bytes(16, "big"),
                version=version,
                service=service,
                replica=replica,
                is_retracted=is_retracted,
                outcome=outcome,
                load_test=load_test,
                end_ns=START_NS + (second + seconds) * 10**9,
                e2e_s=seconds * 1.01,
            )
        telemetry.writer.append_requests(requests(*rows.values()))
        minutes = {key: START_NS + key[1] // 60 * MINUTE_NS for key in rows}
        rollup.mark({(pool, "m", minute) for key, minute in minutes.items() for pool in pools_of[key]}, version)
        rollup.run()
        assert rolled_up(telemetry) == counted(telemetry)
    before = rolled_up(telemetry)
    assert telemetry.rollup(control).recover() == 0
    assert rolled_up(telemetry) == before


def fresh(telemetry: Telemetry, control: Control) -> Rebuilder:
    """Both stores as at their first start."""
    emptied(telemetry)
    with control.engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM rollup_builds")
    return telemetry.rollup(control)


def test_after_a_crash_before_the_mark_recovery_finds_the_minutes(telemetry: Telemetry, control: Control) -> None:
    rollup = telemetry.rollup(control)
    moved = request(1, service="old")
    put(telemetry, rollup, moved, request(61))
    rollup.run()
    telemetry.writer.append_requests(requests({**moved, "version": 2, "service": "new"}, request(200, version=2)))
    telemetry.writes.execute_text("OPTIMIZE TABLE requests FINAL")
    restarted = telemetry.rollup(control)
    assert restarted.recover() == 3
    assert restarted.run() == 3
    assert rolled_up(telemetry) == counted(telemetry)


def test_recovery_drops_a_build_without_a_pointer(telemetry: Telemetry, rollup: Rebuilder, control: Control) -> None:
    put(telemetry, rollup, request(1))
    rollup.run()
    orphan = insert(request_minutes).from_select(
        ["service", "model", "minute_ns", "build", "requests"],
        select(*(request_minutes.c[n] for n in ("service", "model", "minute_ns")), func.toUInt64(2), func.toUInt64(99)),
    )
    telemetry.writes.execute(orphan)
    assert telemetry.reader.minutes(CHAT, HOUR).column("requests").to_pylist() == [1]
    restarted = telemetry.rollup(control)
    assert restarted.recover() == 0
    put(telemetry, restarted, request(600, version=2))
    restarted.run()
    assert control.builds.last().build == 2
    assert rolled_up(telemetry) == counted(telemetry)


def commit(store: Telemetry, version: int, *rows: dict[str, Any]) -> None:
    """A whole commit of another process: nothing is marked here."""
    store.writer.append_requests(requests(*({**row, "version": version} for row in rows)))
    store.writer.append_ledger(ledger({"commit_seq": version}))


def test_what_is_committed_while_minutes_are_looked_up_is_found_the_next_time(
    telemetry: Telemetry, rollup: Rebuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(telemetry, 1, request(1))
    looked_up = rollup._database.rows

    def then_another_commits(statement: ClauseElement) -> list[dict[str, Any]]:
        found = looked_up(statement)
        commit(telemetry, 2, request(600))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(rollup._database, "rows", then_another_commits)
        assert rollup.catch_up() == 1
    rollup.run()
    assert rollup.catch_up() == 1
    rollup.run()
    assert rolled_up(telemetry) == counted(telemetry)
    assert rollup.catch_up() == 0


def test_a_commit_under_way_waits_for_its_ledger_and_a_start_takes_what_a_crash_left(
    telemetry: Telemetry, rollup: Rebuilder, control: Control
) -> None:
    commit(telemetry, 1, request(1))
    telemetry.writer.append_requests(requests(request(600, version=2)))
    assert rollup.catch_up() == 1
    rollup.run()
    assert control.builds.last().version == 1
    assert rollup.catch_up() == 0
    assert rollup.recover() == 1
    rollup.run()
    assert control.builds.last().version == 1
    telemetry.writer.append_ledger(ledger({"commit_seq": 2}))
    assert rollup.catch_up() == 1


def test_catching_up_leaves_a_build_under_way_alone(
    telemetry: Telemetry, rollup: Rebuilder, control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(telemetry, 1, request(1))
    rollup.catch_up()
    other = telemetry.rollup(control)

    def meanwhile(build: Build) -> None:
        other.catch_up()
        Builds.commit(control.builds, build)

    monkeypatch.setattr(control.builds, "commit", meanwhile)
    rollup.run()
    assert rolled_up(telemetry) == counted(telemetry) != {}


def test_a_reader_of_the_build_before_misses_nothing_while_garbage_goes(
    telemetry: Telemetry, control: Control, clock: CountingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.telemetry.rollup.GARBAGE_ROWS_MIN", 1)
    rollup = telemetry.rollup(control, clock)
    row = request(1)
    for version in range(1, 6):
        put(telemetry, rollup, {**row, "version": version})
        rollup.run()
    before = telemetry.reader.snapshot()
    put(telemetry, rollup, {**row, "version": 6, "is_retracted": True})
    rollup.run()
    assert rollup.collect_garbage() is False
    assert before.minutes(CHAT, HOUR).column("requests").to_pylist() == [1]
    assert before.sketches(CHAT, HOUR, []).num_rows == 1
    assert telemetry.reader.minutes(CHAT, HOUR).num_rows == 0
    clock.at_ns += READERS_GONE_NS
    assert rollup.collect_garbage() is True
    assert rolled_up(telemetry) == counted(telemetry)


def test_a_failed_run_keeps_its_minutes_dirty_and_leaves_nothing_visible(
    telemetry: Telemetry, rollup: Rebuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(telemetry, rollup, request(1))

    def fail(build: Build) -> None:
        raise StoreUnavailableError(f"no pointer for {build.build}")

    with monkeypatch.context() as patch:
        patch.setattr(rollup._builds, "commit", fail)
        with pytest.raises(StoreUnavailableError):
            rollup.run()
    assert rollup.pending() == 1
    assert telemetry.reader.minutes(CHAT, HOUR).num_rows == 0
    assert rollup.run() == 1
    assert rolled_up(telemetry) == counted(telemetry)


def test_a_run_collects_garbage_after_many_rebuilt_cells(
    telemetry: Telemetry, control: Control, clock: CountingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    rollup = telemetry.rollup(control, clock)
    monkeypatch.setattr("store.telemetry.rollup.GARBAGE_ROWS_MIN", 1)
    monkeypatch.setattr("store.telemetry.rollup.GARBAGE_CHECK_CELLS", 4)
    row = request(1)
    for version in range(1, 5):
        put(telemetry, rollup, {**row, "version": version})
        rollup.run()
        clock.at_ns += READERS_GONE_NS
    assert telemetry.writes.scalar(select(func.count()).select_from(request_minutes)) == 2


def test_garbage_goes_and_current_rows_stay(
    telemetry: Telemetry, control: Control, clock: CountingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    rollup = telemetry.rollup(control, clock)
    monkeypatch.setattr("store.telemetry.rollup.GARBAGE_ROWS_MIN", 1)
    row = request(1)
    put(telemetry, rollup, row)
    rollup.run()
    assert rollup.collect_garbage() is False
    for version in range(2, 6):
        put(telemetry, rollup, {**row, "version": version}, request(61 + version, version=version))
        rollup.run()
    clock.at_ns += READERS_GONE_NS
    assert rollup.collect_garbage() is True
    assert rolled_up(telemetry) == counted(telemetry)
    stored = telemetry.writes.scalar(select(func.count()).select_from(request_minutes))
    assert stored == len(rolled_up(telemetry))
