"""One span, whole: identity, raw attributes with the canonical field each one became, resource, events, links."""

import json
from collections.abc import Mapping, Sequence

from dash import html

from analyzer.questions.answers import SpanRecord
from dashboard.numbers_text import UNKNOWN, seconds
from dashboard.panels.parts import Node, chip, facts
from dashboard.view import View
from dashboard.widgets import CopyText, Table, Widget
from vocabulary.pools import SECOND_NS

_STATUS = ("unset", "ok", "error")
_KINDS = ("unspecified", "internal", "server", "client", "producer", "consumer")


def span_panel(view: View, span: SpanRecord) -> html.Div:
    """Everything that is stored of a span."""
    say = view.say
    became = {attribute: field for field, attribute in span.sources.items()}
    is_rebuilt = bool(raw_attributes(span).keys() - span.attributes.keys())
    return html.Div(
        [
            html.H3([span.name, " ", *_chips(view, span)]),
            facts(_identity(view, span)),
            html.H4(say("span.attributes")),
            _attributes(view, raw_attributes(span), became),
            html.P(say("span.rebuilt"), className="fine") if is_rebuilt else None,
            _folded(say("span.resource"), _attributes(view, span.resource, became), len(span.resource)),
            _folded(say("span.events"), _events(view, span), len(span.events)),
            _folded(say("span.links"), _links(view, span), len(span.links)),
        ],
        className="span-panel",
    )


def raw_attributes(span: SpanRecord) -> dict[str, object]:
    """Attributes under the emitter's names: those kept as they came, and those that became canonical fields.

    The store holds the latter once, as the canonical value; it stands here under the name it came by.
    """
    moved = {
        attribute: span.fields[field]
        for field, attribute in span.sources.items()
        if field in span.fields and " " not in attribute and attribute not in span.resource
    }
    return {**moved, **span.attributes}


def _chips(view: View, span: SpanRecord) -> list[html.Span]:
    chips = [chip(span.hop_role, "plain")] if span.hop_role != "other" else []
    if _STATUS[span.status_code % 3] == "error":
        chips.append(chip(view.say("span.error"), "bad", "warn"))
    return chips + [chip(view.say.known("quality", flag), "amber", "warn") for flag in span.quality]


def _identity(view: View, span: SpanRecord) -> list[tuple[str, Node]]:
    say = view.say
    texts = {"copy": say("copy.do"), "copied": say("copy.done")}
    length = None if span.end_ns is None else (span.end_ns - span.start_ns) / SECOND_NS
    status = _STATUS[span.status_code % 3] + (f": {span.status_message}" if span.status_message else "")
    scope = " ".join(part for part in (span.scope_name, span.scope_version) if part)
    return [
        (say("span.id"), CopyText(text=span.span_id, texts=texts)),
        (say("span.parent"), span.parent_span_id or say("span.no_parent")),
        (say("span.start"), view.clock.precise(span.start_ns)),
        (say("span.duration"), say("field.unknown") if length is None else seconds(length)),
        (say("span.kind"), _KINDS[span.kind % len(_KINDS)]),
        (say("span.status"), status),
        (say("span.emitter"), span.emitter or UNKNOWN),
        (say("span.scope"), scope or UNKNOWN),
    ]


def _attributes(view: View, found: Mapping[str, object], became: Mapping[str, str]) -> Widget:
    say = view.say
    columns = [{"text": say("column.attribute")}, {"text": say("column.value")}, {"text": say("column.became")}]
    rows = [
        {
            "cells": [
                {"text": key, "tone": "mono"},
                {"text": as_text(value), "tone": "mono prose"},
                {"text": f"→ {became[key]}" if key in became else "", "tone": "faint"},
            ]
        }
        for key, value in found.items()
    ]
    return Table(caption=say("span.attributes"), columns=columns, rows=rows, empty=say("span.nothing"))


def _events(view: View, span: SpanRecord) -> Widget:
    say = view.say
    columns = [
        {"text": say("column.after"), "align": "right"},
        {"text": say("column.event")},
        {"text": say("column.attributes")},
    ]
    rows = [
        {
            "cells": [
                _after(event, span),
                str(event.get("name", "")),
                {"text": as_text(event.get("attributes", {})), "tone": "mono prose"},
            ]
        }
        for event in span.events
    ]
    return Table(caption=say("span.events"), columns=columns, rows=rows, empty=say("span.nothing"))


def _after(event: Mapping[str, object], span: SpanRecord) -> str:
    at_ns = event.get("time_ns")
    return (
        seconds((at_ns - span.start_ns) / SECOND_NS) if isinstance(at_ns, int) and at_ns >= span.start_ns else UNKNOWN
    )


def _links(view: View, span: SpanRecord) -> Widget:
    say = view.say
    columns = [{"text": say("request.trace")}, {"text": say("span.id")}, {"text": say("column.attributes")}]
    rows = [
        {"cells": [as_text(link.get("trace_id")), as_text(link.get("span_id")), as_text(link.get("attributes", {}))]}
        for link in span.links
    ]
    return Table(caption=say("span.links"), columns=columns, rows=rows, empty=say("span.nothing"))


def _folded(title: str, table: Widget, size: int) -> html.Details:
    return html.Details([html.Summary(f"{title} ({size})"), table])


def as_text(value: object) -> str:
    """A value as an emitter would write it: texts bare, everything else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence | Mapping) and not value:
        return UNKNOWN
    return json.dumps(value, ensure_ascii=False, default=str)
