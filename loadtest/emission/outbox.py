"""Finished requests collected into export bodies, as the emitting processes would send them."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from loadtest.emission import wire
from loadtest.emission.calls import CallWriter
from loadtest.emission.identifiers import Identifiers, Ids
from loadtest.emission.sampling import is_lost, is_sampled, rejection_threshold, trace_state
from loadtest.emission.sources import ENGINE_SCOPE, GATEWAY_SCOPE, engine_resource, gateway_resource
from loadtest.emission.spans import SpanWriter
from loadtest.fleet.notes import TelemetryState
from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.request import Attempt, End, Identity, Request

_Process = tuple[int, int]  # a gateway: index and incarnation
_COMPLETED, _ENGINE_ERROR, _NEVER_CONNECTED = End.COMPLETED, End.ENGINE_ERROR, End.NEVER_CONNECTED  # looking up is slow


@dataclass(frozen=True, slots=True)
class Body:
    """One OTLP/HTTP body.

    payload   an ExportTraceServiceRequest or ExportMetricsServiceRequest, serialised
    spans     spans in it
    requests  gateway spans in it: each request has at most one
    until_s   simulated second up to which this body and those before it tell everything that ended
    points    data points in it
    """

    payload: bytes
    spans: int
    requests: int
    until_s: float
    signal: Literal["traces", "metrics"] = "traces"
    points: int = 0


def joined(bodies: Iterable[Body]) -> Body | None:
    """Bodies of one signal as one, None for none: messages written one after the other are one message."""
    parts = list(bodies)
    if not parts:
        return None
    last = parts[-1]
    return Body(
        b"".join(part.payload for part in parts),
        sum(part.spans for part in parts),
        sum(part.requests for part in parts),
        last.until_s,
        last.signal,
        sum(part.points for part in parts),
    )


class Outbox:
    """Holds spans until they are taken; `add` is what a simulation calls when a request ends.

    lost       spans that were written and never arrive
    unsampled  traces left out because of `sample_share`; the share at a request's end counts
    """

    def __init__(self, plan: FleetPlan, telemetry: TelemetryState) -> None:
        self.plan = plan
        self.telemetry = telemetry
        self.lost = self.unsampled = 0
        self._identifiers = Identifiers(plan)
        self._writer = SpanWriter(plan, self._identifiers)
        self._calls = CallWriter(plan)
        self._gateways: defaultdict[_Process, list[bytes]] = defaultdict(list)
        self._engines: defaultdict[Identity, list[bytes]] = defaultdict(list)
        self._requests: defaultdict[_Process, int] = defaultdict(int)
        self._gateway_heads: dict[_Process, tuple[bytes, bytes]] = {}
        self._engine_heads: dict[Identity, tuple[bytes, bytes]] = {}

    @property
    def held(self) -> int:
        """Spans that wait to be taken."""
        return sum(map(len, self._gateways.values())) + sum(map(len, self._engines.values()))

    def add(self, request: Request) -> None:
        """Write the spans of a request that ended; a request that no gateway saw has none."""
        end = request.end
        if end is _NEVER_CONNECTED:
            return
        ids = self._identifiers.of_request(request)
        if self.telemetry.sample_share < 1.0:
            threshold = rejection_threshold(self.telemetry.sample_share)
            if not is_sampled(ids.trace_id, threshold):
                self.unsampled += 1
                return
            ids = ids._replace(trace_state=trace_state(threshold))
        if request.earlier:
            self._add_earlier(request, ids)
        if end is _COMPLETED or end is _ENGINE_ERROR:
            self._keep_engine(request, request, ids, ids.engine_span_id)
        self._add_gateway(request, ids)

    def take(self, until_s: float) -> Body:
        """Everything held, in one body: history is sent so, engine spans beside their gateway spans."""
        return joined(self.take_by_source(until_s)) or Body(b"", 0, 0, until_s)

    def take_by_source(self, until_s: float) -> list[Body]:
        """Everything held, one body per emitting process: live traffic is sent so, each process by itself."""
        bodies = [
            Body(wire.resource_spans(*self._gateway_head(process), spans), len(spans), self._requests[process], until_s)
            for process, spans in sorted(self._gateways.items())
            if spans
        ]
        bodies += [
            Body(wire.resource_spans(*self._engine_head(identity), spans), len(spans), 0, until_s)
            for identity, spans in sorted(self._engines.items())
        ]
        self._gateways.clear()
        self._engines.clear()
        self._requests.clear()
        return bodies

    def _add_earlier(self, request: Request, ids: Ids) -> None:
        for place, attempt in enumerate(request.earlier):
            if attempt.end is _ENGINE_ERROR:
                self._keep_engine(request, attempt, ids, self._identifiers.of_attempt(request, place))

    def _keep_engine(self, request: Request, attempt: Request | Attempt, ids: Ids, span_id: bytes) -> None:
        if self.telemetry.engine_loss and is_lost(span_id, self.telemetry.engine_loss):
            self.lost += 1
            return
        assert attempt.identity is not None, "an engine finished it"
        self._engines[attempt.identity].append(self._writer.engine(request, attempt, ids, span_id))

    def _add_gateway(self, request: Request, ids: Ids) -> None:
        process = request.gateway, request.gateway_incarnation
        spans = self._gateways[process]
        if self.telemetry.gateway_loss and is_lost(ids.gateway_span_id, self.telemetry.gateway_loss):
            self.lost += 1
        else:
            spans.append(self._writer.gateway(request, ids))
            self._requests[process] += 1
        if request.calls:
            self._add_calls(request, ids, spans)

    def _add_calls(self, request: Request, ids: Ids, spans: list[bytes]) -> None:
        for place, call in enumerate(request.calls):
            span_id = self._identifiers.of_call(request, ids, place)
            if self.telemetry.gateway_loss and is_lost(span_id, self.telemetry.gateway_loss):
                self.lost += 1
                continue
            spans.append(self._calls.call(call, ids, span_id))

    def _gateway_head(self, process: _Process) -> tuple[bytes, bytes]:
        if process not in self._gateway_heads:
            resource = gateway_resource(self.plan, *process)
            self._gateway_heads[process] = wire.resource(resource), wire.scope(*GATEWAY_SCOPE)
        return self._gateway_heads[process]

    def _engine_head(self, identity: Identity) -> tuple[bytes, bytes]:
        if identity not in self._engine_heads:
            resource = engine_resource(self.plan, identity)
            self._engine_heads[identity] = wire.resource(resource), wire.scope(*ENGINE_SCOPE)
        return self._engine_heads[identity]
