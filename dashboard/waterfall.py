"""A trace as columns for the waterfall: order, depth, gaps nobody accounts for, phases the engine tells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.questions.answers import SpanRecord
from dashboard.palette import SERIES
from vocabulary.roles import HopRole

NO_PARENT = -1
LEAST_GAP_SHARE = 0.01
FOLD_FROM = 12
_MS = 1_000_000.0
PHASES = (("queue", "queue_s"), ("prefill", "prefill_s"), ("kv_transfer", "kv_transfer_s"), ("decode", "decode_s"))


@dataclass(frozen=True, slots=True)
class Node:
    """A row before it is written: a span, or a fold of many alike under one parent."""

    span: SpanRecord
    parent: int
    depth: int
    name: str
    is_folded: bool = False
    end_ns: int | None = None


def columns(spans: Sequence[SpanRecord], own: frozenset[str]) -> dict[str, object]:
    """Columns that `assets/waterfall.js` draws, one entry per row.

    own  ids of the spans that belong to the request; the others are drawn faint
    """
    children = _children(spans)
    rows: list[Node] = []
    for span in children.get("", []):
        _walk(span, NO_PARENT, 0, children, rows)
    start_ns = min((span.start_ns for span in spans), default=0)
    end_ns = max((span.end_ns or span.start_ns for span in spans), default=0)
    services = list(dict.fromkeys(_service(row.span) for row in rows))
    return {
        "id": [row.span.span_id for row in rows],
        "name": [row.name for row in rows],
        "parent": [row.parent for row in rows],
        "depth": [row.depth for row in rows],
        "start_ms": [_ms(row.span.start_ns - start_ns) for row in rows],
        "length_ms": [None if row.end_ns is None else _ms(row.end_ns - row.span.start_ns) for row in rows],
        "service": [services.index(_service(row.span)) for row in rows],
        "services": services,
        "colours": [SERIES[place % len(SERIES)] for place in range(len(services))],
        "role": ["" if row.span.hop_role == HopRole.OTHER else row.span.hop_role for row in rows],
        "is_error": [row.span.status_code == 2 for row in rows],  # noqa: PLR2004 - OTLP's status code for an error
        "is_own": [row.span.span_id in own for row in rows],
        "gaps": [gaps(row.span, children.get(row.span.span_id, [])) for row in rows],
        "phases": [phases(row.span) for row in rows],
        "folded": [place for place, row in enumerate(rows) if row.is_folded],
        "total_ms": max(_ms(end_ns - start_ns), 0.001),
    }


def _children(spans: Sequence[SpanRecord]) -> Mapping[str, list[SpanRecord]]:
    """Spans by parent id in order of start; a span whose parent never came stands at the root."""
    known = {span.span_id for span in spans}
    found: dict[str, list[SpanRecord]] = {}
    for span in sorted(spans, key=lambda span: (span.start_ns, span.span_id)):
        parent = span.parent_span_id if span.parent_span_id in known and span.parent_span_id != span.span_id else ""
        found.setdefault(parent, []).append(span)
    return found


def _walk(
    root: SpanRecord, parent: int, depth: int, children: Mapping[str, list[SpanRecord]], rows: list[Node]
) -> None:
    """Depth first without recursion: a trace may be as deep as it is long."""
    stack: list[tuple[SpanRecord, int, int]] = [(root, parent, depth)]
    while stack:
        span, above, level = stack.pop()
        place = len(rows)
        rows.append(Node(span, above, level, span.name, end_ns=span.end_ns))
        below = children.get(span.span_id, [])
        alike = _alike(below, children)
        if alike:
            _fold(alike, place, level + 1, rows)
            below = [child for child in below if child not in alike]
        stack += [(child, place, level + 1) for child in reversed(below)]


def _alike(below: Sequence[SpanRecord], children: Mapping[str, list[SpanRecord]]) -> list[SpanRecord]:
    """Leaves of one name, if there are many: decode steps, mostly."""
    names: dict[str, list[SpanRecord]] = {}
    for span in below:
        if span.span_id not in children:
            names.setdefault(span.name, []).append(span)
    most = max(names.values(), key=len, default=[])
    return most if len(most) >= FOLD_FROM else []


def _fold(alike: Sequence[SpanRecord], parent: int, depth: int, rows: list[Node]) -> None:
    place = len(rows)
    last_ns = max((span.end_ns or span.start_ns) for span in alike)
    rows.append(Node(alike[0], parent, depth, f"{alike[0].name} × {len(alike)}", is_folded=True, end_ns=last_ns))
    rows += [Node(span, place, depth + 1, span.name, end_ns=span.end_ns) for span in alike]


def gaps(span: SpanRecord, below: Sequence[SpanRecord]) -> list[list[float]]:
    """Stretches that neither a child nor a told phase accounts for, as [offset, length] in ms.

    A leaf that tells no phases has none: it stands for its own work. Those under 1 % of the span are left out.
    """
    covered = _covered(span, below)
    if span.end_ns is None or not covered:
        return []
    least_ns = (span.end_ns - span.start_ns) * LEAST_GAP_SHARE
    found, reached = [], span.start_ns
    for start, end in [*covered, (span.end_ns, span.end_ns)]:
        if min(start, span.end_ns) - reached > least_ns:
            found.append([_ms(reached - span.start_ns), _ms(min(start, span.end_ns) - reached)])
        reached = max(reached, end)
    return found


def _covered(span: SpanRecord, below: Sequence[SpanRecord]) -> list[tuple[int, int]]:
    told = [
        (span.start_ns + round(float(offset) * _MS), span.start_ns + round((float(offset) + float(length)) * _MS))
        for _, offset, length in phases(span)
    ]
    return sorted(told + [(child.start_ns, child.end_ns or child.start_ns) for child in below])


def phases(span: SpanRecord) -> list[list[str | float]]:
    """Phases that the span itself tells, one after the other from its start, as [name, offset, length] in ms."""
    told: list[list[str | float]] = []
    offset = 0.0
    for name, field in PHASES:
        value = span.fields.get(field)
        if isinstance(value, int | float) and value > 0:
            told.append([name, round(offset, 3), round(value * 1e3, 3)])
            offset += value * 1e3
    return told


def subtree(spans: Sequence[SpanRecord], start_ns: int, end_ns: int | None) -> frozenset[str]:
    """Ids of the request's spans: the topmost inference span that starts with it, and all below."""
    children = _children(spans)
    roots = [span for span in spans if span.is_inference and span.start_ns == start_ns]
    root = next((span for span in roots if span.end_ns == end_ns), roots[0] if roots else None)
    found: set[str] = set()
    stack = [root] if root else list(spans)
    while stack:
        span = stack.pop()
        if span.span_id not in found:
            found.add(span.span_id)
            stack += children.get(span.span_id, [])
    return frozenset(found)


def hops_in_order(roles: Sequence[str], spans: Sequence[SpanRecord]) -> list[str]:
    """The roles as the tree has them, outermost first; those without a span come last, in the order given."""
    children = _children(spans)
    level, depth = children.get("", []), 0
    place: dict[str, int] = {}
    while level:
        for span in level:
            place.setdefault(span.hop_role, depth)
        level, depth = [child for span in level for child in children.get(span.span_id, [])], depth + 1
    return sorted(roles, key=lambda role: place.get(role, depth))


def _service(span: SpanRecord) -> str:
    return str(span.resource.get("service.name") or span.fields.get("service") or span.emitter or "?")


def _ms(length_ns: int) -> float:
    return round(length_ns / _MS, 3)
