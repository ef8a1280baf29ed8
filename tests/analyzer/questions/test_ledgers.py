from analyzer.questions.answers import SignalLedger
from analyzer.questions.ledgers import UNVERIFIED, ledger
from store.control.open import Control
from store.telemetry.open import Telemetry
from tests.factories.requests import FAILED, REJECTED, UNKNOWN, request_rows, shown
from tests.factories.stores import START_NS
from tests.factories.stores import ledger as records
from vocabulary.pools import MINUTE_NS, Window

WINDOW = Window(START_NS, START_NS + 60 * MINUTE_NS)


def test_every_request_is_in_the_ledger_once(telemetry: Telemetry, control: Control) -> None:
    shown(
        telemetry,
        control,
        *(request_rows(50), request_rows(7, **FAILED), request_rows(5, **REJECTED), request_rows(3, **UNKNOWN)),
        request_rows(2, outcome="timed_out", defects=4),
        request_rows(1, outcome="aborted"),
        request_rows(4, load_test="sweep", load_test_step=0, offered_rps=1.0),
    )
    found = ledger(telemetry.reader, WINDOW).requests
    assert found.offered == 72
    assert found.offered == found.admitted + found.rejected
    parts = (found.completed, found.failed, found.timed_out, found.aborted, found.in_flight, found.lost, found.unknown)
    assert parts == (54, 7, 2, 1, 0, 0, 3)
    assert found.admitted == sum(parts)
    assert found.verified == UNVERIFIED


def test_every_record_is_in_the_ledger_once(telemetry: Telemetry) -> None:
    telemetry.writer.append_ledger(
        records(
            {"records": 90, "bodies": 3},
            {"records": 7, "reason": "duplicate"},
            {"records": 2, "reason": "no_trace_id"},
            {"records": 5, "signal": "metrics", "reason": "unsupported"},
        )
    )
    found = ledger(telemetry.reader, WINDOW).ingest
    assert found == {
        "metrics": SignalLedger(received=5, stored=0, duplicate=0, rejected={"unsupported": 5}),
        "traces": SignalLedger(received=99, stored=90, duplicate=7, rejected={"no_trace_id": 2}),
    }


def test_an_empty_store_has_an_empty_ledger(telemetry: Telemetry) -> None:
    found = ledger(telemetry.reader, WINDOW)
    assert found.requests.offered == 0
    assert found.ingest == {}
