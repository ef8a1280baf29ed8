from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Subquery, select

from store.contract import TelemetryReader
from store.control.open import Control
from store.telemetry import minute_reads as reads
from store.telemetry.current import AllMinutes
from store.telemetry.open import Telemetry
from store.telemetry.scope import Scope
from store.telemetry.tables import REQUEST_MINUTES
from store.telemetry.tenant_minutes import FACTS, TenantMinutes, minutes_for
from store.telemetry.tenant_reader import imported
from tests.factories.stores import START_NS, emptied, request, requests
from tests.store.snapshot import assert_statement
from vocabulary.outcomes import DefectKind
from vocabulary.pools import MINUTE_NS, SECOND_NS, Pool, Window
from vocabulary.services import ServiceBook, ServiceDefinition

HOUR = Window(START_NS, START_NS + 60 * MINUTE_NS)
CUT = Window(START_NS + 70 * SECOND_NS, START_NS + 150 * SECOND_NS)
DAY = Window(START_NS, START_NS + 86_400 * SECOND_NS)
POOLS = (Pool("a", "m"), Pool("b", "m"))
TENANTS = ("t", "it's %(x)s", "租")
KEY = ("service", "model", "minute_ns", "service_tier", "load_test", "load_test_step", "offered_rps")
NAMES = tuple(name for name in REQUEST_MINUTES.names if name != "build")
VALUES = tuple(name for name in NAMES if name not in KEY)
OURS = Scope(frozenset({"a", "it's"}))


def rolled(store: Telemetry, control: Control, services: ServiceBook | None = None) -> None:
    rollup = store.rollup(control, services=services or ServiceBook())
    rollup.recover()
    rollup.run()


def told(reader: TelemetryReader, window: Window) -> dict[str, object]:
    """Every answer that is made of minutes."""
    answers: dict[str, object] = {
        "pools": reader.pools(window),
        "load_tests": reader.load_tests(),
        "series": reader.minute_series(None, window, 120).to_pylist(),
        "totals": reader.outcome_totals(window),
    }
    for pool in POOLS:
        for load_test in ("", "lt"):
            answers[f"minutes {pool} {load_test}"] = reader.minutes(pool, window, load_test).to_pylist()
            found = reader.sketches(pool, window, [0.02, 0.05], load_test).to_pylist()
            answers[f"sketches {pool} {load_test}"] = found
        answers[f"series {pool}"] = reader.minute_series(pool, window, 60).to_pylist()
        answers[f"totals {pool}"] = reader.outcome_totals(window, pool)
    return answers


def rows_of(store: Telemetry, rows: Subquery) -> dict[tuple[object, ...], dict[str, Any]]:
    """Rows of minutes by their key."""
    listed = store.reads.rows(select(rows))
    found = {tuple(row[name] for name in KEY): {name: _plain(row[name]) for name in VALUES} for row in listed}
    assert len(found) == len(listed), "a key occurs in two rows"
    return found


def _plain(value: Any) -> Any:
    return Counter(dict(value)) if isinstance(value, list) else value


def added_up(parts: Sequence[dict[tuple[object, ...], dict[str, Any]]]) -> dict[tuple[object, ...], dict[str, Any]]:
    """Rows of several tenants, added; load is the same in all."""
    answer: dict[tuple[object, ...], dict[str, Any]] = {}
    for key, row in (item for part in parts for item in part.items()):
        so_far = answer.get(key)
        assert so_far is None or all(so_far[name] == row[name] for name in FACTS)
        answer[key] = row if so_far is None else {n: row[n] if n in FACTS else so_far[n] + row[n] for n in VALUES}
    return answer


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "number": st.integers(0, 5),
            "second": st.integers(0, 4 * 60),
            "seconds": st.integers(0, 1000),
            "service": st.sampled_from(["a", "b"]),
            "tenant": st.sampled_from(TENANTS),
            "replica": st.sampled_from(["", "r0", "r1"]),
            "service_tier": st.sampled_from(["", "core"]),
            "is_retracted": st.booleans(),
            "outcome": st.sampled_from(["completed", "failed", "unknown"]),
            "defects": st.sampled_from([0, 1, 513]),
            "load_test": st.sampled_from(["", "lt"]),
            "input_tokens": st.sampled_from([None, 0, 7]),
        }
    ),
    min_size=1,
    max_size=10,
)


def versions(batches: list[list[dict[str, object]]]) -> Iterator[list[dict[str, object]]]:
    """Batches as rows; the same number at the same second is one request, of which later batches are versions."""
    for version, batch in zip(count(1), batches, strict=False):
        rows: dict[object, dict[str, object]] = {}
        for drawn in batch:
            number, second, seconds = (int(str(drawn[name])) for name in ("number", "second", "seconds"))
            named = {name: value for name, value in drawn.items() if name not in ("number", "second", "seconds")}
            if named["load_test"]:
                named |= {"load_test_step": number % 2, "offered_rps": float(number) or None}
            named |= {"end_ns": START_NS + (second + seconds) * SECOND_NS, "e2e_s": seconds * 1.01}
            key = {"request_key": number.to_bytes(16, "big"), "version": version}
            rows[number, second] = request(second, **key, **named)
        yield list(rows.values())


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    batches=st.lists(ROWS, min_size=1, max_size=3),
    window=st.sampled_from([HOUR, CUT]),
    pool=st.sampled_from([None, *POOLS]),
)
def test_rows_of_all_tenants_are_those_of_the_rollup_and_those_of_a_partition_add_up(
    telemetry: Telemetry, control: Control, batches: list[list[dict[str, object]]], window: Window, pool: Pool | None
) -> None:
    emptied(telemetry)
    with control.engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM rollup_builds")
    for rows in versions(batches):
        telemetry.writer.append_requests(requests(*rows))
    rolled(telemetry, control)
    build = telemetry.reader.current_build.number
    everything = AllMinutes(build)
    parts = [TenantMinutes(Scope(frozenset(names)), build) for names in (TENANTS[:1], TENANTS[1:])]
    whole = TenantMinutes(Scope(frozenset({*TENANTS, "nobody"})), build)
    expected = rows_of(telemetry, everything.of(NAMES, window, pool))
    assert rows_of(telemetry, whole.of(NAMES, window, pool)) == expected
    assert added_up([rows_of(telemetry, part.of(NAMES, window, pool)) for part in parts]) == expected
    in_tests = rows_of(telemetry, everything.of_load_tests(NAMES))
    assert of_tests(rows_of(telemetry, whole.of_load_tests(NAMES))) == of_tests(in_tests)


def of_tests(rows: dict[tuple[object, ...], dict[str, Any]]) -> dict[tuple[object, ...], dict[str, Any]]:
    """Rows of load tests: what else their minutes hold is nobody's question."""
    return {key: row for key, row in rows.items() if key[KEY.index("load_test")]}


def test_every_answer_to_all_tenants_is_the_answer_to_everybody(telemetry: Telemetry, control: Control) -> None:
    rows = [
        request(
            7 * number,
            tenant=TENANTS[number % 3],
            service="ab"[number % 2],
            replica=f"r{number % 4}",
            outcome="failed" if number % 5 == 0 else "completed",
            defects=int(number % 5 == 0),
            e2e_s=0.1 * number,
            **({"load_test": "lt", "load_test_step": number % 2, "offered_rps": 2.5} if number % 7 == 0 else {}),
        )
        for number in range(60)
    ]
    telemetry.writer.append_requests(requests(*rows))
    rolled(telemetry, control)
    assert told(telemetry.reader.within(frozenset(TENANTS)), CUT) == told(telemetry.reader, CUT)


def test_defects_that_count_for_a_service_are_those_that_count_for_its_tenants(
    telemetry: Telemetry, control: Control
) -> None:
    book = ServiceBook((ServiceDefinition("chat", counted=DefectKind.REJECTED),))
    kinds = (DefectKind.ERROR, DefectKind.REJECTED, DefectKind.ERROR)
    rows = [request(1 + number, tenant="ours", defects=int(kind)) for number, kind in enumerate(kinds)]
    telemetry.writer.append_requests(requests(*rows, request(1, tenant="others", defects=2)))
    rolled(telemetry, control, book)
    for reader in (telemetry.reader.within({"ours"}), telemetry.reader.snapshot().within({"ours"}).snapshot()):
        (minute,) = reader.minutes(Pool("chat", "m"), HOUR).to_pylist()
        assert (minute["requests"], minute["defective"], minute["defect_error"]) == (3, 1, 2)


def test_load_is_that_of_the_whole_pool(telemetry: Telemetry, control: Control) -> None:
    others = [request(second, tenant="others", replica=f"r{second % 2}") for second in range(2, 12)]
    telemetry.writer.append_requests(requests(request(1, tenant="ours", e2e_s=1.0), *others))
    rolled(telemetry, control)
    chat, ours = Pool("chat", "m"), telemetry.reader.within({"ours"})
    (row,) = ours.minutes(chat, HOUR).to_pylist()
    assert (row["requests"], row["replicas_ready"], row["load_rps"]) == (1, 2, 11 / 60 / 2)
    (band,) = ours.sketches(chat, HOUR, [1 / 60, 11 / 60 / 2, 1.0]).to_pylist()
    assert (band["band"], dict(band["e2e_sketch"])) == (1, {0: 1})
    assert ours.minute_series(chat, HOUR, 600)["replicas_ready"].to_pylist() == [2.0]


def test_a_minute_is_counted_once_the_rollup_has_it(telemetry: Telemetry, control: Control) -> None:
    telemetry.writer.append_requests(requests(request(1, tenant="ours")))
    ours = telemetry.reader.within({"ours"})
    before = ours.snapshot()
    assert ours.pools(HOUR) == []
    rolled(telemetry, control)
    assert [found.requests for found in ours.pools(HOUR)] == [1]
    assert before.pools(HOUR) == []


def test_a_request_counts_for_the_tenant_of_its_current_version(telemetry: Telemetry, control: Control) -> None:
    moved, gone = request(1, tenant="ours"), request(2, tenant="ours")
    telemetry.writer.append_requests(requests(moved, gone, request(3, tenant="ours")))
    later = [{**moved, "version": 2, "tenant": "others"}, {**gone, "version": 2, "is_retracted": True}]
    telemetry.writer.append_requests(requests(*later))
    rolled(telemetry, control)
    assert telemetry.reader.within({"ours"}).outcome_totals(HOUR)["completed"] == 1
    assert telemetry.reader.within({"others"}).outcome_totals(HOUR)["completed"] == 1


def test_the_columns_of_both_kinds_of_minutes_have_the_same_types(telemetry: Telemetry, control: Control) -> None:
    telemetry.writer.append_requests(requests(request(1, tenant="ours")))
    rolled(telemetry, control)
    schemas = [
        (reader.minutes(Pool("chat", "m"), HOUR).schema, reader.minute_series(None, HOUR, 60).schema)
        for reader in (telemetry.reader, telemetry.reader.within({"ours"}), telemetry.reader.within(set()))
    ]
    assert schemas[0] == schemas[1] == schemas[2]


@pytest.fixture
def two_days(telemetry: Telemetry, control: Control) -> Telemetry:
    """200,000 requests of ten tenants over two days, one minute of them in a load test."""
    at_ns = f"{START_NS} + toInt64(number) * {172_800 * SECOND_NS // 200_000}"
    key = "toFixedString(reinterpretAsFixedString(sipHash128(number)), 16)"
    load_test = "if(number BETWEEN 100000 AND 100060, 'lt', '')"
    columns = "request_key, anchor_ns, end_ns, version, service, model, replica, outcome, tenant, load_test"
    named = f"'chat', 'm', 'r0', 'completed', concat('t', toString(number % 10)), {load_test}"
    values = f"{key}, {at_ns}, {at_ns} + {SECOND_NS}, 1, {named}"
    telemetry.writes.execute_text(f"INSERT INTO requests ({columns}) SELECT {values} FROM numbers(200000)")
    rolled(telemetry, control)
    return telemetry


def test_what_some_tenants_ask_reads_the_rows_of_its_window(two_days: Telemetry) -> None:
    rows = minutes_for(Scope(frozenset({"t3"})), two_days.reader.current_build)
    ten_minutes = Window(START_NS + 3600 * SECOND_NS, START_NS + 4200 * SECOND_NS)
    chat = Pool("chat", "m")
    statements = (
        *(reads.series(rows, None, ten_minutes, 60), reads.minutes_of(rows, chat, ten_minutes, "")),
        *(reads.activity(rows, ten_minutes), reads.outcomes(rows, ten_minutes, None)),
        reads.latencies(rows, chat, ten_minutes, [0.5], ""),
    )
    assert max(two_days.reads.rows_read(statement) for statement in statements) < 20_000
    assert two_days.reader.within({"t3"}).outcome_totals(ten_minutes)["completed"] > 50
    (found,) = two_days.reader.within({"t3"}).load_tests()
    assert found.requests == 6
    assert two_days.reads.rows_read(reads.tested(rows)) < 30_000
    nobody = minutes_for(Scope(frozenset()), two_days.reader.current_build)
    assert two_days.reads.rows_read(reads.activity(nobody, DAY)) < 10_000


def test_minutes_are_the_rollup_for_everybody_else_counted(telemetry: Telemetry) -> None:
    current = telemetry.reader.current_build
    assert isinstance(minutes_for(Scope(), current), AllMinutes)
    assert isinstance(minutes_for(Scope(frozenset()), current), TenantMinutes)


def test_statements_are_those_of_the_snapshots(telemetry: Telemetry) -> None:
    rows, chat = TenantMinutes(OURS, 7), Pool("chat", "m")
    shown = {
        "tenants_activity": reads.activity(rows, DAY),
        "tenants_load_tests": reads.tested(rows),
        "tenants_minutes_of_pool": reads.minutes_of(rows, chat, DAY, "lt"),
        "tenants_series": reads.series(rows, None, DAY, 600),
        "tenants_sketches": reads.latencies(rows, chat, DAY, [0.5, 1.5], ""),
        "tenants_outcomes": reads.outcomes(rows, DAY, chat),
        "tenants_import": imported("i1", OURS),
    }
    for name, statement in shown.items():
        assert_statement(name, telemetry.reads, statement)
    assert isinstance(telemetry.reads.table(shown["tenants_series"]), pa.Table)
