"""What a real store says of senders."""

import re
from dataclasses import replace
from pathlib import Path

from collector.receive import _REFUSALS
from peakline_server.doctor_emitters import ADVICE, heard, pools, rejected
from peakline_server.guarding import REFUSED_AT_THE_DOOR
from store.control.open import Control
from store.telemetry.open import Telemetry
from tests.api.conftest import NOW_NS as SERVER_NOW_NS
from tests.factories.requests import request_rows, shown
from tests.factories.stores import ledger
from tests.peakline_server.examined_place import asked, only, place, states

ROOT = Path(__file__).parents[2]


def test_pools_are_told_with_their_last_activity(peakline: str, telemetry: Telemetry, control: Control) -> None:
    shown(telemetry, control, request_rows(5), *(request_rows(1, model=f"m{number}") for number in range(9)))
    found = only(pools(place(server=asked(peakline))))
    assert found.state == "ok"
    assert found.sentence.startswith("10 in the last 24 hours: chat / m until 2025-10-09T08:5")
    assert found.sentence.endswith("and 2 more.")


def test_an_empty_store_says_what_to_paste(peakline: str) -> None:
    found = only(pools(place(server=asked(peakline))))
    assert (found.state, f"OTEL_EXPORTER_OTLP_ENDPOINT={peakline}" in found.fix) == ("warning", True)
    assert "http/protobuf" in found.fix
    assert only(heard(place(server=asked(peakline)))).state == "skipped"


def test_what_to_paste_is_the_port_of_otlp_and_the_header_of_a_token(peakline: str) -> None:
    here = place(server=asked(peakline), access_enabled=True, ports={"main": 8600, "OTLP/HTTP": 4318})
    fix = only(pools(here)).fix
    assert "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318, " in fix
    assert 'OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20TOKEN".' in fix
    assert "HEADERS" not in only(pools(replace(here, access_enabled=False))).fix
    fix = only(pools(replace(here, public_url="http://[2001:db8::1]:8600"))).fix
    assert "OTEL_EXPORTER_OTLP_ENDPOINT=http://[2001:db8::1]:4318, " in fix


def test_emitters_of_the_last_minutes_are_counted(peakline: str, telemetry: Telemetry, control: Control) -> None:
    late = 50 * 60.0
    shown(telemetry, control, request_rows(3, late, emitters="vllm"), request_rows(2, late, emitters="litellm"))
    shown(telemetry, control, request_rows(7, 0.0, emitters="old"))
    assert only(heard(place(server=asked(peakline)))).sentence == (
        "In the last 15 minutes: vllm (3 requests), litellm (2 requests)."
    )


def test_what_was_refused_is_told_with_what_to_do(peakline: str, telemetry: Telemetry) -> None:
    assert states(rejected(place(server=asked(peakline)))) == ["ok"]
    row = {"at_ns": SERVER_NOW_NS - 10**9, "commit_seq": 3, "records": 1200, "bodies": 0}
    rows = [row | {"reason": reason} for reason in ("unsupported_media_type", "made_up", "duplicate", "stored")]
    telemetry.writer.append_ledger(ledger(*rows))
    unknown, grpc = rejected(place(server=asked(peakline)))
    assert (unknown.state, unknown.fix) == ("warning", "See docs/ingest.md.")
    assert grpc.sentence == "1,200 records of traces were refused in the last 24 hours: unsupported_media_type."
    assert "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf" in grpc.fix


def test_there_is_advice_for_every_reason_that_the_receiver_has() -> None:
    written = {reason for file in ROOT.glob("collector/**/*.py") for reason in _reasons(file.read_text())}
    assert {reason for reason, _ in _REFUSALS.values()} | {"invalid_trace_id", "invalid_span_id"} <= set(ADVICE)
    assert written | set(REFUSED_AT_THE_DOOR.values()) | {"refused"} <= set(ADVICE)
    assert "unsupported_media_type" in written


def _reasons(source: str) -> list[str]:
    return re.findall(r'self\._(?:refuse|count)\("([a-z_]+)"', source)


def test_without_a_server_nothing_is_looked_at() -> None:
    assert {only(check(place())).state for check in (pools, heard, rejected)} == {"skipped"}


def test_the_documentation_has_the_advice() -> None:
    page = (ROOT / "docs" / "doctor.md").read_text()
    assert re.findall(r"^\* `([a-z_]+)`: (.+)$", page, re.MULTILINE) == list(ADVICE.items())
