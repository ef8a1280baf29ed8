"""Calls of dependencies as OpenTelemetry's conventions for databases and messaging have them."""

import pyarrow as pa
import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from collector.correlate import correlate
from collector.otlp.decode import decode_traces
from collector.otlp.normalise import Normaliser
from collector.otlp.privacy import Privacy
from loadtest.emission.calls import CallWriter, server_address
from loadtest.emission.identifiers import Identifiers
from loadtest.emission.outbox import Outbox
from loadtest.fleet.notes import TelemetryState
from loadtest.fleet.request import Call, End
from store.telemetry import columns
from tests.factories.emissions import DEPENDENCIES, emission_plan, finished
from tests.factories.otlp_stub import attributes

PLAN = emission_plan()
IDS = Identifiers(PLAN).of_request(finished(PLAN))
CACHE, VECTOR, QUEUE = range(3)


def span(call: Call) -> Span:
    written = Span()
    written.ParseFromString(CallWriter(PLAN).call(call, IDS, b"8 bytes."))
    return written


@pytest.mark.parametrize(
    ("dependency", "name", "kind", "told"),
    [
        (CACHE, "GET", Span.SPAN_KIND_CLIENT, {"db.system.name": "redis", "db.operation.name": "GET"}),
        (
            VECTOR,
            "search documents",
            Span.SPAN_KIND_CLIENT,
            {"db.system.name": "milvus", "db.operation.name": "search", "db.collection.name": "documents"},
        ),
        (
            QUEUE,
            "receive batch-requests",
            Span.SPAN_KIND_CONSUMER,
            {
                "messaging.system": "kafka",
                "messaging.destination.name": "batch-requests",
                "messaging.operation.type": "receive",
                "messaging.operation.name": "receive",
            },
        ),
    ],
)
def test_each_kind_has_its_name_and_its_attributes(dependency: int, name: str, kind: int, told: dict[str, str]) -> None:
    written = span(Call(dependency, 1.0, 1.5, is_ok=True))
    assert (written.name, written.kind, written.status.code) == (name, kind, 0)
    assert attributes(written) == {**told, "server.address": server_address(DEPENDENCIES[dependency])}


def test_a_call_is_a_local_child_of_its_gateway_span() -> None:
    written = span(Call(CACHE, 1.0, 1.5, is_ok=True))
    assert (written.trace_id, written.parent_span_id) == (IDS.trace_id, IDS.gateway_span_id)
    assert written.flags == 0x100
    assert written.end_time_unix_nano - written.start_time_unix_nano == 500_000_000


@pytest.mark.parametrize(("seconds", "error"), [(2.0, "TimeoutError"), (0.01, "ConnectionError")])
def test_a_failed_call_says_whether_it_was_given_up_or_refused(seconds: float, error: str) -> None:
    written = span(Call(CACHE, 1.0, 1.0 + seconds, is_ok=False))
    assert (attributes(written)["error.type"], written.status.code) == (error, 2)


def requests_of(calls: list[Call]) -> pa.Table:
    """What the collector makes of one request for each end, all of which asked their dependencies so."""
    outbox = Outbox(PLAN, TelemetryState())
    for number, end in enumerate(End):
        outbox.add(finished(PLAN, number, end=end, calls=calls, tokens=0.0 if number % 2 else 80.0))
    decoded = decode_traces(outbox.take(0.0).payload)
    spans = Normaliser(Privacy(b"salt")).normalise(decoded, PLAN.origin_ns + 60 * 10**9).spans
    hops = pa.schema([field for field in columns.HOPS if field.name in spans.schema.names])
    return correlate(spans.select(hops.names).cast(hops))


def test_calls_are_hops_of_their_request_and_change_nothing_else_of_it() -> None:
    calls = [Call(kind, 10.0, 10.5, is_ok=kind == CACHE) for kind in (CACHE, VECTOR, QUEUE)]
    plain, with_calls = requests_of([]), requests_of(calls)
    assert plain.num_rows == with_calls.num_rows == len(End) - 1
    changed = [name for name in plain.schema.names if plain[name] != with_calls[name]]
    assert sorted(changed) == ["hop_count", "hop_roles"]
    assert all(roles.endswith("dependency") for roles in with_calls["hop_roles"].to_pylist())
