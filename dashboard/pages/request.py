"""One request: how it ended, what it rested on, where its time went, and every span as it came."""

import asyncio
from collections.abc import Mapping, Sequence
from decimal import Decimal

from dash import dcc, html

from analyzer.questions.answers import Cost, RequestRecord, SpanRecord, TraceRecord
from analyzer.questions.requests import one_request, one_trace
from analyzer.questions.synthetic import tells_synthetic
from dashboard.numbers_text import UNKNOWN, count, seconds
from dashboard.panels.canonical import canonical
from dashboard.panels.parts import Node, chip, figure, message, outcome_chip, panel, synthetic_chip
from dashboard.panels.span import span_panel
from dashboard.view import View
from dashboard.waterfall import columns, hops_in_order, subtree
from dashboard.widgets import CopyText, Waterfall
from vocabulary.roles import HopRole

_THOUSAND = 1000
_TEXTS = ("head", "tree", "gap", "open", "queue", "prefill", "kv_transfer", "decode")


async def body(view: View) -> Node:
    """The page of the request that the path names."""
    services = view.house.services()
    record = await asyncio.to_thread(one_request, view.house.reader, view.parts["request_key"], services)
    if record is None:
        return message(
            view.say("request.missing"), view.say("request.missing_text", key=view.parts["request_key"]), "bad"
        )
    trace = await asyncio.to_thread(one_trace, view.house.reader, record.trace_id)
    spans = trace.spans if trace else []
    own = subtree(spans, record.start_ns, record.end_ns)
    telling = [span for span in spans if span.span_id in own]
    return html.Div(
        [
            _header(view, record, telling),
            _figures(view, record, hops_in_order(record.hop_roles, telling)),
            _waterfall(view, record, trace, own) if trace else _no_spans(view),
            panel(view.say("request.fields"), canonical(view, record, telling), note=view.say("request.fields_note")),
        ],
        className="request-page",
    )


def _no_spans(view: View) -> html.Div:
    key = "limited.no_spans" if view.principal.is_limited else "request.no_spans_text"
    return message(view.say("request.no_spans"), view.say(key))


def _header(view: View, record: RequestRecord, telling: Sequence[SpanRecord]) -> html.Div:
    say = view.say
    texts = {"copy": say("copy.do"), "copied": say("copy.done")}
    defects = [chip(say.known("defect", name), "bad", "warn") for name in record.defects]
    cause = [chip(say.known("truncation", record.truncation_cause), "amber")] if record.truncation_cause else []
    quality = [chip(say.known("quality", flag), "amber", "warn") for flag in record.quality]
    marks = [synthetic_chip(say)] if tells_synthetic(telling) else []
    verdict = defects or [chip(say("request.no_defect"), "good", "ok")]
    above = dcc.Link(say("requests.title"), href=view.address.to("/requests"))
    return html.Div(
        [
            html.Div([above, " / ", html.Code(record.request_key[:12])], className="crumbs"),
            html.Div([outcome_chip(record.outcome, say), *verdict, *cause, *quality, *marks], className="chips"),
            html.Div(
                [
                    html.Span([say("request.key"), " ", CopyText(text=record.request_key, texts=texts)]),
                    html.Span([say("request.trace"), " ", CopyText(text=record.trace_id, texts=texts)]),
                ],
                className="ids",
            ),
        ],
        className="request-head",
    )


def _figures(view: View, record: RequestRecord, roles: Sequence[str]) -> html.Div:
    say, known = view.say, record.fields
    arrived = view.clock.at(record.start_ns).strftime("%H:%M:%S.%f")[:-3]
    hops = say("request.hops", hops=record.hop_count, roles=" → ".join(roles))
    has_engine = HopRole.ENGINE in roles
    tokens = f"{_tokens(known.get('input_tokens'))} → {_tokens(known.get('output_tokens'))}"
    in_flight = say("field.unknown") if record.in_flight_at_arrival is None else count(record.in_flight_at_arrival)
    replica = str(known.get("replica") or say("field.unknown"))
    return html.Div(
        [
            figure(say("request.arrived"), arrived, view.clock.minute(record.start_ns)),
            figure("E2E", _known(view, record.e2e_s), hops),
            figure("TTFT", *_first_token(view, known, has_engine=has_engine)),
            figure("TPOT", _known(view, record.tpot_s), say("request.tpot_below")),
            figure(say("request.tokens"), tokens, say("request.tokens_below" if has_engine else "request.tokens_told")),
            *_cost(view, record.cost),
            figure(say("request.in_flight"), in_flight, say("request.in_flight_below")),
            figure(say("request.replica"), replica, f"{record.service or UNKNOWN} / {record.model or UNKNOWN}"),
        ],
        className="figures is-small",
    )


def _cost(view: View, cost: Cost | None) -> list[html.Div]:
    """What the tokens cost, nothing where no prices are configured."""
    if cost is None:
        return []
    say = view.say
    if cost.amount is None:
        return [figure(say("request.cost"), say("field.unknown"), say("request.cost_unknown"))]
    return [figure(say("request.cost"), f"{_money(cost.amount)} {cost.currency}", say("request.cost_below"))]


def _money(amount: float) -> str:
    """Three significant digits, or all before the point, and never an exponent: 0.000123, 1.23, 1,234."""
    return f"{Decimal(f'{amount:.3g}'):,f}" if amount < _THOUSAND else f"{amount:,.0f}"


def _first_token(view: View, known: Mapping[str, object], *, has_engine: bool) -> tuple[str, str]:
    """What the caller saw, else what the serving side tells, and which of them it is."""
    server = "request.ttft_server" if has_engine else "request.ttft_told"
    for name, where in (("client_ttft_s", "request.ttft_client"), ("server_ttft_s", server)):
        if known.get(name) is not None:
            return _known(view, known[name]), view.say(where)
    return view.say("field.unknown"), ""


def _known(view: View, value: object) -> str:
    return seconds(float(value)) if isinstance(value, int | float) else view.say("field.unknown")


def _tokens(value: object) -> str:
    return count(value) if isinstance(value, int) else UNKNOWN


def _waterfall(view: View, record: RequestRecord, trace: TraceRecord, own: frozenset[str]) -> html.Div:
    say = view.say
    first = next((span for span in trace.spans if span.span_id in own), trace.spans[0])
    data = columns(trace.spans, own)
    texts = {key: say(f"waterfall.{key}") for key in _TEXTS}
    drawn = Waterfall(id="waterfall", data=data, selected=first.span_id, texts=texts)
    note = say("waterfall.note", spans=len(trace.spans), own=len(own))
    partial = message(say("waterfall.partial"), say("waterfall.partial_text")) if trace.is_partial else None
    store = dcc.Store(id="trace", data={"trace_id": record.trace_id})
    return html.Div(
        [
            panel(say("waterfall.title"), partial, drawn, _legend(view), store, note=note, aside=say("waterfall.keys")),
            panel(say("span.title"), html.Div(span_panel(view, first), id="span")),
        ],
        className="columns is-3-2",
    )


def _legend(view: View) -> html.Div:
    names = ("queue", "prefill", "kv_transfer", "decode")
    entries = [
        html.Span([html.I(className=f"swatch wf-phase-{name}"), view.say(f"waterfall.{name}")]) for name in names
    ]
    gap = html.Span([html.I(className="swatch wf-gap"), view.say("waterfall.gap")])
    foreign = html.Span([html.I(className="swatch is-foreign"), view.say("waterfall.foreign")])
    return html.Div([*entries, gap, foreign], className="legend")


async def selected_span(view: View, trace_id: str, span_id: str) -> Node:
    """The panel of the span that was picked in the waterfall; reads the trace again, so the browser keeps only ids."""
    trace = await asyncio.to_thread(one_trace, view.house.reader, trace_id)
    span: SpanRecord | None = (
        next((found for found in trace.spans if found.span_id == span_id), None) if trace else None
    )
    return span_panel(view, span) if span else message(view.say("span.missing"), span_id)
