"""What a gateway asked before it forwarded a request: client spans of databases, consumer spans of a queue."""

from typing import NamedTuple

from loadtest.emission import wire
from loadtest.emission.identifiers import Ids
from loadtest.emission.spans import ERROR_STATUS, ROOT_FLAGS
from loadtest.fleet.plan import DependencyPlan, FleetPlan
from loadtest.fleet.request import Call

CLIENT_KIND, CONSUMER_KIND = 3, 5
LOCAL_PARENT_FLAGS = ROOT_FLAGS
_NS = 1_000_000_000
_NEARLY = 0.999  # of its time-out: a call that took this long was given up, a shorter one was refused


class _Kind(NamedTuple):
    name: str
    kind: int
    attributes: dict[str, wire.AttributeValue]


class _Endings(NamedTuple):
    """All of a call's span that follows its times."""

    fine: bytes
    timed_out: bytes
    refused: bytes


class CallWriter:
    """Writes the spans of a fleet's calls of dependencies."""

    def __init__(self, plan: FleetPlan) -> None:
        self.plan = plan
        self._origin_ns = plan.origin_ns
        self._openings: list[wire.SpanOpening] = []
        self._endings: list[_Endings] = []
        for dependency in plan.dependencies:
            told = _told(dependency)
            self._openings.append(wire.SpanOpening(told.name, told.kind))
            self._endings.append(_endings(wire.span_attributes(told.attributes)))

    def call(self, call: Call, ids: Ids, span_id: bytes) -> bytes:
        """The span of one call, a child of the gateway's span."""
        origin_ns = self._origin_ns
        return b"".join(
            (
                self._openings[call.dependency].child(
                    ids.trace_id,
                    span_id,
                    ids.gateway_span_id,
                    origin_ns + int(call.start_s * _NS),
                    origin_ns + int(call.end_s * _NS),
                ),
                self._endings[call.dependency].fine if call.is_ok else self._failure(call),
                ids.trace_state,
            )
        )

    def _failure(self, call: Call) -> bytes:
        endings = self._endings[call.dependency]
        patience_s = self.plan.dependencies[call.dependency].timeout_s * _NEARLY
        return endings.timed_out if call.end_s - call.start_s >= patience_s else endings.refused


def server_address(dependency: DependencyPlan) -> str:
    """Host name under which a gateway reaches a dependency."""
    return f"{dependency.name}.inference.svc.cluster.local"


def _endings(attributes: bytes) -> _Endings:
    failed = wire.span_tail(ERROR_STATUS, LOCAL_PARENT_FLAGS)
    return _Endings(
        attributes + wire.span_tail(0, LOCAL_PARENT_FLAGS),
        attributes + wire.span_attribute("error.type", "TimeoutError") + failed,
        attributes + wire.span_attribute("error.type", "ConnectionError") + failed,
    )


def _told(dependency: DependencyPlan) -> _Kind:
    """Name, kind and attributes, as OpenTelemetry's conventions for databases and messaging have them."""
    address: dict[str, wire.AttributeValue] = {"server.address": server_address(dependency)}
    system = dependency.system
    if dependency.kind == "cache":
        return _Kind("GET", CLIENT_KIND, {"db.system.name": system, "db.operation.name": "GET", **address})
    if dependency.kind == "vector":
        search = {"db.system.name": system, "db.operation.name": "search", "db.collection.name": "documents"}
        return _Kind("search documents", CLIENT_KIND, {**search, **address})
    receive = {"messaging.system": system, "messaging.destination.name": "batch-requests"}
    operation = {"messaging.operation.type": "receive", "messaging.operation.name": "receive"}
    return _Kind("receive batch-requests", CONSUMER_KIND, {**receive, **operation, **address})
