"""Spans as people read them, made from the few facts a test is about."""

from typing import Any

from analyzer.questions.answers import SpanRecord
from vocabulary.pools import SECOND_NS

START_NS = 1_796_000_000_000_000_000


def span(name: str, parent: str = "", at_s: float = 0.0, length_s: float | None = 1.0, **facts: Any) -> SpanRecord:
    """A span whose id is its name."""
    start_ns = START_NS + round(at_s * SECOND_NS)
    end_ns = None if length_s is None else start_ns + round(length_s * SECOND_NS)
    plain: dict[str, Any] = {
        "status_code": 0,
        "status_message": "",
        "hop_role": "other",
        "is_inference": False,
        "emitter": "",
        "kind": 1,
        "fields": {},
        "sources": {},
        "attributes": {},
        "resource": {},
        "scope_name": "",
        "scope_version": "",
        "events": [],
        "links": [],
        "quality": [],
    }
    own = {"span_id": name, "parent_span_id": parent, "name": name, "start_ns": start_ns, "end_ns": end_ns}
    return SpanRecord(**{**plain, **own, **facts})
