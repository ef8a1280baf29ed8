"""What the `peakline` package sends is what the server understands."""

import time

import pytest

from collector.correlate import correlate
from collector.otlp.decode import decode_traces
from collector.otlp.normalise import Normaliser
from collector.otlp.privacy import Privacy
from peakline import Inference, configure, inference_span
from sdk.tests.receiver import receiving
from store.telemetry.columns import HOPS

OUTCOMES = {
    Inference.answered: "completed",
    Inference.rejected: "rejected",
    Inference.timed_out: "timed_out",
    Inference.aborted: "aborted",
    Inference.failed: "failed",
}
IDENTITY = {"model_revision": "4f2a", "quantization": "fp8", "context_window": 8192, "replica": "chat-0", "rack": "r12"}


def test_every_outcome_and_the_whole_identity_arrive() -> None:
    with receiving() as receiver:
        provider = configure("chat", endpoint=receiver.endpoint, **IDENTITY)  # type: ignore[arg-type]  # a plain dict
        for verdict in OUTCOMES:
            with inference_span("chat", "llama", temperature=0.5, service_tier="core") as inference:
                inference.first_token()
                verdict(inference)  # type: ignore[operator]  # mypy joins the signatures to object
        provider.shutdown()
        (request,) = receiver.requests
    decoded = decode_traces(request.SerializeToString())
    spans = Normaliser(Privacy(b"salt" * 8)).normalise(decoded, time.time_ns()).spans
    rows = sorted(correlate(spans.select(HOPS.names)).to_pylist(), key=lambda row: row["anchor_ns"])
    assert [row["outcome"] for row in rows] == list(OUTCOMES.values())
    assert {row["hop_roles"] for row in rows} == {"engine"}
    for row in rows:
        assert row.items() >= {"service": "chat", "model": "llama", "service_tier": "core", **IDENTITY}.items()
        assert row["temperature"] == pytest.approx(0.5)
        assert row["server_ttft_s"] > 0
