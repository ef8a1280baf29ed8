from store.contract import IngestReader, Rollup, TelemetryReader, TelemetryWriter
from store.control.open import Control
from store.telemetry.open import Telemetry


def test_the_store_keeps_its_contract(telemetry: Telemetry, control: Control) -> None:
    reads: TelemetryReader = telemetry.reader
    ingests: IngestReader = telemetry.reader
    writes: TelemetryWriter = telemetry.writer
    rolls: Rollup = telemetry.rollup(control)
    assert reads.load_tests() == []
    assert ingests.last_commit() == 0
    assert rolls.pending() == 0
    assert writes is telemetry.writer
