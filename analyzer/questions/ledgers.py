"""The ledgers: what became of every request and of every record."""

from collections.abc import Mapping

from analyzer.questions.answers import Ledger, RequestLedger, SignalLedger
from store.contract import RecordLedger, TelemetryReader
from vocabulary.outcomes import Outcome
from vocabulary.pools import Window

UNVERIFIED = "unverified"
"""The rows themselves say what was offered; nothing independent of them confirms it."""
STORED = "stored"
DUPLICATE = "duplicate"


def ledger(reader: TelemetryReader, window: Window) -> Ledger:
    """Both ledgers over a window, production and load tests together.

    raises  what `reader` raises
    """
    totals = reader.outcome_totals(window)
    received = reader.ingest_ledger(window)
    return Ledger(
        requests=_requests(totals),
        ingest={signal: _signal(records) for signal, records in sorted(received.items())},
        window=window,
    )


def _requests(totals: Mapping[str, int]) -> RequestLedger:
    """Rows exist only once a request has ended, so none is in flight or lost as far as they can tell."""
    count = {outcome: int(totals.get(str(outcome), 0)) for outcome in Outcome}
    offered = sum(count.values())
    return RequestLedger(
        offered=offered,
        rejected=count[Outcome.REJECTED],
        admitted=offered - count[Outcome.REJECTED],
        completed=count[Outcome.COMPLETED],
        failed=count[Outcome.FAILED],
        timed_out=count[Outcome.TIMED_OUT],
        aborted=count[Outcome.ABORTED],
        in_flight=0,
        lost=0,
        unknown=count[Outcome.UNKNOWN],
        verified=UNVERIFIED,
    )


def _signal(records: RecordLedger) -> SignalLedger:
    kept = {STORED, DUPLICATE}
    return SignalLedger(
        received=records.received,
        stored=records.reasons.get(STORED, 0),
        duplicate=records.reasons.get(DUPLICATE, 0),
        rejected={reason: count for reason, count in sorted(records.reasons.items()) if reason not in kept},
    )
