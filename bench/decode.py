"""Spans per second from protobuf bytes to the spans table, on one core, as a ratio to plain protobuf parsing.

    python bench/decode.py [--short]

One body holds 500 spans of an engine behind a gateway: 16 attributes and about 650 bytes each, unique ids. The ratio is
taken in the same run, so it says the same on every machine.
"""

import argparse
import os
import random
import time
from collections.abc import Callable

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from collector.otlp.decode import check_traces, decode_checked, decode_traces
from collector.otlp.normalise import Normaliser
from collector.otlp.privacy import Privacy

SPANS = 500
START_NS = 1_796_000_000_000_000_000
SECONDS = ("time_to_first_token", "e2e", "time_in_queue", "time_in_model_prefill", "time_in_model_decode")


def body(chance: random.Random) -> bytes:
    """One export of an engine, unique ids."""
    message = ExportTraceServiceRequest()
    resource_spans = message.resource_spans.add()
    for key, text in (("service.name", "llama"), ("k8s.pod.name", "vllm-0"), ("k8s.node.name", "node-7")):
        resource_spans.resource.attributes.add(key=key).value.string_value = text
    scope_spans = resource_spans.scope_spans.add()
    scope_spans.scope.name = "vllm.tracing.otel"
    for number in range(SPANS):
        span = scope_spans.spans.add(name="llm_request", kind=2)
        span.trace_id, span.span_id, span.parent_span_id = os.urandom(16), os.urandom(8), os.urandom(8)
        span.start_time_unix_nano = START_NS + number * 1_000_000
        span.end_time_unix_nano = span.start_time_unix_nano + chance.randrange(10**9)
        for name in SECONDS:
            span.attributes.add(key=f"gen_ai.latency.{name}").value.double_value = chance.random()
        for name in ("prompt_tokens", "completion_tokens"):
            span.attributes.add(key=f"gen_ai.usage.{name}").value.int_value = chance.randrange(4096)
        for name in ("n", "max_tokens"):
            span.attributes.add(key=f"gen_ai.request.{name}").value.int_value = chance.randrange(1, 1024)
        for name in ("temperature", "top_p"):
            span.attributes.add(key=f"gen_ai.request.{name}").value.double_value = 0.7
        span.attributes.add(key="gen_ai.request.id").value.string_value = f"chatcmpl-{chance.getrandbits(128):032x}"
        span.attributes.add(key="gen_ai.request.model").value.string_value = "meta-llama/Llama-3.1-8B-Instruct"
        for name in ("tenant.id", "peakline.service_tier", "deployment.colour"):
            span.attributes.add(key=name).value.string_value = f"{name}-{chance.randrange(20)}"
    return bytes(message.SerializeToString())


def seconds_per_body(work: Callable[[bytes], object], bodies: list[bytes], rounds: int) -> float:
    """Best of several rounds over all bodies: CPU time of this thread, so that neighbours do not count."""
    best = float("inf")
    for _ in range(rounds):
        begun = time.thread_time()
        for one in bodies:
            work(one)
        best = min(best, (time.thread_time() - begun) / len(bodies))
    return best


def together(normaliser: Normaliser, bodies: list[bytes]) -> None:
    """A group of bodies, as a commit may take them."""
    for one in bodies:
        check_traces(one)
    normaliser.normalise(decode_checked(bodies), START_NS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="fewer rounds")
    rounds = 5 if parser.parse_args().short else 25
    chance = random.Random(7)
    bodies = [body(chance) for _ in range(8)]
    normaliser = Normaliser(Privacy(b"bench"))
    plain = seconds_per_body(ExportTraceServiceRequest.FromString, bodies, rounds)
    decode = seconds_per_body(decode_traces, bodies, rounds)
    both = seconds_per_body(lambda one: normaliser.normalise(decode_traces(one), START_NS), bodies, rounds)
    many = seconds_per_body(lambda _: together(normaliser, bodies), bodies[:1], rounds) / len(bodies)
    print(f"bytes per span               {len(bodies[0]) / SPANS:12.0f}")
    measured = (
        ("plain protobuf parsing", plain),
        ("decode", decode),
        ("decode and normalise", both),
        (f"the same, {len(bodies)} bodies at once", many),
    )
    for name, seconds in measured:
        print(f"{name:28} {SPANS / seconds:12,.0f} spans/s   ratio {plain / seconds:.3f}")


if __name__ == "__main__":
    main()
