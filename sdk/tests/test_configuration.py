import socket
import subprocess
import sys

import pytest
from opentelemetry import trace

from peakline import configure, inference_span
from sdk.tests.receiver import Receiver


def test_the_identity_is_on_every_export(receiver: Receiver) -> None:
    provider = configure(
        "chat",
        endpoint=receiver.endpoint + "/",
        model="llama-3-70b",
        model_revision="4f2a91c",
        quantization="fp8",
        dtype="bfloat16",
        context_window=8192,
        replica="chat-0",
        pod="chat-7d9f-0",
        node="gpu-17",
        rack="r12",
        environment="production",
        version="0.33.0",
        attributes={"team.name": "search"},
        headers={"x-key": "k"},
    )
    inference_span("chat", "llama-3-70b").__exit__(None, None, None)
    provider.shutdown()
    assert receiver.resource.items() >= {
        ("service.name", "chat"),
        ("service.version", "0.33.0"),
        ("service.instance.id", "chat-0"),
        ("k8s.pod.name", "chat-7d9f-0"),
        ("k8s.node.name", "gpu-17"),
        ("rack.id", "r12"),
        ("deployment.environment.name", "production"),
        ("model.id", "llama-3-70b"),
        ("model.revision", "4f2a91c"),
        ("model.quantization", "fp8"),
        ("model.dtype", "bfloat16"),
        ("model.context_window", 8192),
        ("team.name", "search"),
    }
    assert receiver.headers[0]["x-key"] == "k"
    assert receiver.headers[0]["content-encoding"] == "gzip"


def test_a_replica_is_named_after_its_host_unless_it_has_a_name(receiver: Receiver) -> None:
    provider = configure("chat", endpoint=receiver.endpoint)
    inference_span("chat", "llama").__exit__(None, None, None)
    provider.shutdown()
    assert receiver.resource["service.instance.id"] == socket.gethostname()
    assert not [name for name in receiver.resource if name.startswith(("model.", "rack.", "k8s."))]


def test_it_becomes_the_global_provider_only_where_there_is_none(receiver: Receiver) -> None:
    first = configure("chat", endpoint=receiver.endpoint)
    assert trace.get_tracer_provider() is first
    second = configure("chat", endpoint=receiver.endpoint)
    assert trace.get_tracer_provider() is first
    first.shutdown()
    second.shutdown()


def test_an_unknown_role_is_refused_when_configuring() -> None:
    with pytest.raises(ValueError, match="chef"):
        configure("chat", role="chef")


def test_an_unknown_fact_is_refused_when_configuring() -> None:
    with pytest.raises(TypeError, match="does not know colour; it knows model, "):
        configure("chat", colour="red")  # type: ignore[call-arg]  # that is the point


def test_spans_that_wait_are_sent_when_the_process_ends(receiver: Receiver) -> None:
    program = f"""
import peakline
peakline.configure("chat", endpoint={receiver.endpoint!r}, delay_ms=60000)
with peakline.inference_span("chat", "llama") as inference:
    inference.answered(output_tokens=1)
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
    assert len(receiver.spans) == 1
