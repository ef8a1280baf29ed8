from store.control.open import Control
from store.telemetry import minute_reads as reads
from store.telemetry.current import AllMinutes
from store.telemetry.open import Telemetry
from tests.factories.stores import START_NS
from tests.store.snapshot import assert_statement
from vocabulary.pools import SECOND_NS, Pool, Window

DAY = Window(START_NS, START_NS + 86_400 * SECOND_NS)
CHAT = Pool("chat", "m")


def test_reads_of_minutes_do_not_depend_on_the_number_of_requests(large: Telemetry, control: Control) -> None:
    rollup = large.rollup(control)
    rollup.recover()
    minutes = rollup.run()
    rows = AllMinutes(large.reader.current_build.number)
    statements = (
        *(reads.series(rows, None, DAY, 600), reads.minutes_of(rows, CHAT, DAY, ""), reads.activity(rows, DAY)),
        *(reads.latencies(rows, CHAT, DAY, [0.5], ""), reads.outcomes(rows, DAY, None)),
    )
    assert all(large.reads.rows_read(statement) <= 2 * minutes for statement in statements)


def test_statements_are_those_of_the_snapshots(large: Telemetry) -> None:
    rows = AllMinutes(7)
    shown = {
        "minutes_activity": reads.activity(rows, DAY),
        "minutes_load_tests": reads.tested(rows),
        "minutes_of_pool": reads.minutes_of(rows, CHAT, DAY, "lt"),
        "minutes_series": reads.series(rows, None, DAY, 600),
        "minutes_sketches": reads.latencies(rows, CHAT, DAY, [0.5, 1.5], ""),
        "minutes_outcomes": reads.outcomes(rows, DAY, CHAT),
        "ledger_records": reads.records(DAY),
    }
    for name, statement in shown.items():
        assert_statement(name, large.reads, statement)
