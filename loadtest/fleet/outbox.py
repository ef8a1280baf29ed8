"""Finished requests collected into export bodies, as the emitting processes would send them."""

from dataclasses import dataclass

from loadtest.fleet import wire
from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.request import Request
from loadtest.fleet.sources import ENGINE_SCOPE, GATEWAY_SCOPE, engine_resource, gateway_resource
from loadtest.fleet.spans import SpanWriter


@dataclass(frozen=True, slots=True)
class Body:
    """One OTLP/HTTP body.

    payload   an ExportTraceServiceRequest, serialised
    spans     spans in it
    requests  gateway spans in it: each request has one
    until_s   simulated second up to which this body and those before it tell everything that ended
    """

    payload: bytes
    spans: int
    requests: int
    until_s: float


class Outbox:
    """Holds spans until they are taken; `add` is what a simulation calls when a request ends."""

    def __init__(self, plan: FleetPlan) -> None:
        self._writer = SpanWriter(plan)
        self._heads = [(wire.resource(gateway_resource(plan)), wire.scope(*GATEWAY_SCOPE))]
        self._first_replica: list[int] = []
        for model in plan.models:
            self._first_replica.append(len(self._heads))
            for replica in range(model.replicas):
                self._heads.append((wire.resource(engine_resource(plan, model, replica)), wire.scope(*ENGINE_SCOPE)))
        self._spans: list[list[bytes]] = [[] for _ in self._heads]
        self.held = 0

    def add(self, request: Request) -> None:
        """Write the spans of a finished request."""
        ids = self._writer.ids(request)
        engine = self._writer.engine(request, ids)
        if engine:
            self._spans[self._first_replica[request.model] + request.replica].append(engine)
            self.held += 1
        self._spans[0].append(self._writer.gateway(request, ids))
        self.held += 1

    def take(self, until_s: float) -> Body:
        """Everything held, in one body: history is sent so, engine spans beside their gateway spans."""
        sources = self._take_sources()
        return Body(
            b"".join(self._resource_spans(source, spans) for source, spans in sources),
            sum(len(spans) for _, spans in sources),
            sum(len(spans) for source, spans in sources if source == 0),
            until_s,
        )

    def take_by_source(self, until_s: float) -> list[Body]:
        """Everything held, one body per emitting process: live traffic is sent so, each process by itself."""
        return [
            Body(self._resource_spans(source, spans), len(spans), 0 if source else len(spans), until_s)
            for source, spans in self._take_sources()
        ]

    def _take_sources(self) -> list[tuple[int, list[bytes]]]:
        taken = [(source, spans) for source, spans in enumerate(self._spans) if spans]
        self._spans = [[] for _ in self._heads]
        self.held = 0
        return taken

    def _resource_spans(self, source: int, spans: list[bytes]) -> bytes:
        return wire.resource_spans(*self._heads[source], spans)
