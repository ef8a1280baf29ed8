"""Requests and traces on the wire. Times are RFC 3339 UTC; names that end in `_s` are seconds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RequestItem:
    """One request; `fields` are the canonical ones, null where unknown."""

    request_key: str
    trace_id: str
    start: str
    end: str | None
    e2e_s: float | None
    tpot_s: float | None
    service: str
    model: str
    outcome: str
    defects: Sequence[str]
    truncation_cause: str
    hop_count: int
    hop_roles: Sequence[str]
    emitters: Sequence[str]
    quality: Sequence[str]
    fields: Mapping[str, str | int | float | bool | None]


@dataclass(frozen=True, slots=True)
class CostItem:
    """What the tokens cost by the prices configured now; `amount` is null where a token count is unknown."""

    amount: float | None
    currency: str


@dataclass(frozen=True, slots=True)
class RequestDetail(RequestItem):
    """One request with the load it met and what it cost.

    in_flight_at_arrival  null where its replica is unknown
    cost                  null where no prices are configured for its service
    """

    in_flight_at_arrival: int | None
    cost: CostItem | None


@dataclass(frozen=True, slots=True)
class RequestList:
    """A page of requests, newest first; `next` is the cursor of the following page, null at the end."""

    items: Sequence[RequestItem]
    next: str | None


@dataclass(frozen=True, slots=True)
class EventItem:
    """Something that happened during a span."""

    time: str
    name: str
    attributes: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class LinkItem:
    """Another span that a span points to."""

    trace_id: str
    span_id: str
    attributes: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class SpanItem:
    """One span; `parent_span_id` is empty for a root, `start` null where the emitter told none."""

    span_id: str
    parent_span_id: str
    name: str
    kind: int
    start: str | None
    end: str | None
    status_code: int
    status_message: str
    hop_role: str
    is_inference: bool
    emitter: str
    fields: Mapping[str, str | int | float | bool | None]
    sources: Mapping[str, str]
    attributes: Mapping[str, object]
    resource: Mapping[str, object]
    scope_name: str
    scope_version: str
    events: Sequence[EventItem]
    links: Sequence[LinkItem]
    quality: Sequence[str]


@dataclass(frozen=True, slots=True)
class TraceItem:
    """Spans of one trace by start time; `is_partial` when the limit cut it."""

    trace_id: str
    spans: Sequence[SpanItem]
    is_partial: bool
