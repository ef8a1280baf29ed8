"""Canonical fields of a request in groups, each with where its value came from. Unknown is said, never shown as 0."""

from collections.abc import Sequence

from dash import html

from analyzer.questions.answers import RequestRecord, SpanRecord
from dashboard.numbers_text import seconds
from dashboard.panels.span import as_text
from dashboard.provenance import source_of
from dashboard.view import View
from dashboard.widgets import Table
from vocabulary.fields import DECODING, IDENTITY, ORIGIN, REQUEST, RESULT, TIMES, TOKENS, Field, Kind

GROUPS: tuple[tuple[str, tuple[Field, ...]], ...] = (
    ("identity", IDENTITY),
    ("decoding", DECODING),
    ("tokens", TOKENS),
    ("timing", TIMES),
    ("request", REQUEST),
    ("result", RESULT),
    ("origin", ORIGIN),
)


def canonical(view: View, record: RequestRecord, spans: Sequence[SpanRecord]) -> html.Div:
    """One table per group."""
    return html.Div([_group(view, name, fields, record, spans) for name, fields in GROUPS], className="field-groups")


def _group(
    view: View, name: str, fields: Sequence[Field], record: RequestRecord, spans: Sequence[SpanRecord]
) -> html.Section:
    say = view.say
    title = say(f"group.{name}")
    columns = [
        {"text": say("column.field")},
        {"text": say("column.value")},
        {"text": say("column.source"), "title": say("column.source_help")},
    ]
    rows = [{"cells": _cells(view, field, record.fields.get(field.name), spans)} for field in fields]
    known = sum(record.fields.get(field.name) is not None for field in fields)
    count = html.Span(say("group.known", known=known, all=len(fields)), className="note")
    return html.Section(
        [html.H3([title, " ", count]), Table(caption=title, columns=columns, rows=rows)], className="field-group"
    )


def _cells(view: View, field: Field, value: object, spans: Sequence[SpanRecord]) -> list[dict[str, str]]:
    name = {"text": view.say.known("field", field.name), "title": f"{field.name}: {field.sentence}"}
    if value is None:
        return [name, {"text": view.say("field.unknown"), "tone": "unknown"}, {"text": ""}]
    source = source_of(field, value, spans)
    told = (
        {"text": "", "title": ""}
        if source is None
        else {
            "text": source.attribute,
            "title": f"{source.attribute}: {view.say('field.told_by', role=source.role)}",
            "sub": source.role,
        }
    )
    return [name, {"text": _value(field, value), "tone": "strong"}, {**told, "tone": "mono source"}]


def _value(field: Field, value: object) -> str:
    if field.kind is Kind.NUMBER and field.name.endswith("_s") and isinstance(value, int | float):
        return seconds(float(value))
    if field.kind is Kind.INTEGER and isinstance(value, int) and field.name != "seed":
        return f"{value:,}" if field.name.endswith(("tokens", "window")) else str(value)
    return as_text(value)
