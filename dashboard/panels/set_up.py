"""The exact lines to paste, with this server's own endpoints, and the light that waits for the first span."""

import shlex

from dash import dcc, html

from dashboard.house import Endpoints
from dashboard.latest import LIMITED_LOOK_NS, LOOK_NS
from dashboard.numbers_text import UNKNOWN
from dashboard.timeframe import as_parameters
from dashboard.view import View
from dashboard.widgets import CopyText, Widget
from dashboard.wording import Wording
from store.contract import PoolActivity
from vocabulary.pools import MINUTE_NS, Window


def lines(ends: Endpoints) -> dict[str, str]:
    """What to paste, by emitter; where senders must show a token, TOKEN stands for it."""
    otlp, main = ends.otlp_http_url, ends.main_url
    header = 'export OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20TOKEN"\n' if ends.wants_token else ""
    token = "export PEAKLINE_TOKEN=TOKEN\n" if ends.wants_token else ""
    headers = 'export OTEL_HEADERS="authorization=Bearer TOKEN"\n' if ends.wants_token else ""
    made = {"token": "peakline tokens create NAME --role ingest --data DIR"} if ends.wants_token else {}
    return made | {
        "otel": f'export OTEL_EXPORTER_OTLP_ENDPOINT="{otlp}"\n'
        f'export OTEL_EXPORTER_OTLP_PROTOCOL="http/protobuf"\n{header}'
        'export OTEL_SERVICE_NAME="my-service"',
        "vllm": f'export OTEL_EXPORTER_OTLP_TRACES_PROTOCOL="http/protobuf"\n{header}'
        'export OTEL_SERVICE_NAME="vllm-server"\n'
        f'vllm serve MODEL --otlp-traces-endpoint "{otlp}/v1/traces"',
        "litellm": "# config.yaml\nlitellm_settings:\n"
        '  callbacks: ["otel"]\n\n'
        f'export OTEL_EXPORTER="otlp_http"\nexport OTEL_ENDPOINT="{otlp}/v1/traces"\n'
        f"{headers}litellm --config config.yaml",
        "node": "npm install @opentelemetry/api @opentelemetry/auto-instrumentations-node\n"
        f'export OTEL_EXPORTER_OTLP_ENDPOINT="{otlp}"\n{header}'
        'export OTEL_TRACES_EXPORTER="otlp"\n'
        'export NODE_OPTIONS="--require @opentelemetry/auto-instrumentations-node/register"\nnode app.js',
        "import": f"{token}peakline import azure-llm --endpoint {main} AzureLLMInferenceTrace_conv.csv\n"
        f"peakline import sweep --endpoint {main} sweep.csv",
        "demo": "make demo",
    }


def paste_blocks(ends: Endpoints, say: Wording) -> html.Div:
    """One block per emitter, each with a copy button."""
    texts = {"copy": say("copy.do"), "copied": say("copy.done")}
    blocks = [
        html.Section([html.H3(say(f"setup.{name}")), CopyText(text=text, block=True, texts=texts)], className="paste")
        for name, text in lines(ends).items()
    ]
    return html.Div(blocks, className="pastes")


def switch_on_lines(data: str) -> str:
    """What makes an open server ask who comes, in the order it is typed; `data` is its folder, '' when unknown."""
    folder = shlex.quote(data) if data else "DIR"
    return (
        f"peakline users create NAME --role admin --data {folder}\n"
        f"peakline tokens create NAME --role ingest --data {folder}\n\n"
        "# peakline.yaml\naccess:\n  enabled: true\n\n"
        f"peakline serve --config peakline.yaml --data {folder}"
    )


def switch_on(say: Wording, data: str) -> Widget:
    """The same with a copy button."""
    texts = {"copy": say("copy.do"), "copied": say("copy.done")}
    return CopyText(text=switch_on_lines(data), block=True, texts=texts)


def waiting_light(view: View, last_seen_ns: int | None) -> html.Div:
    """Turns once data have come."""
    say = view.say
    if last_seen_ns is None:
        awaited = say("limited.waiting") if view.principal.is_limited else say("setup.waiting")
        return html.Div([html.Span(className="light"), awaited], className="waiting", role="status")
    text = say("setup.receiving", at=view.clock.second(last_seen_ns))
    link = dcc.Link(say("setup.open_overview"), href=view.address.to("/"))
    return html.Div([html.Span(className="light is-on"), text, " ", link], className="waiting is-on", role="status")


def empty_state(view: View, title: str, newest: PoolActivity | None) -> html.Section:
    """Instead of empty charts: what to do to see something here; `newest` is older traffic that the store holds."""
    say = view.say
    return html.Section(
        [
            html.H2(title),
            _older(view, newest) if newest else waiting_light(view, None),
            html.P(say("setup.why_empty", pending=view.house.pending_minutes())),
            paste_blocks(view.house.endpoints(), say),
        ],
        className="panel empty-state",
    )


def _older(view: View, newest: PoolActivity) -> html.Div:
    """Old data, imported mostly: a link to the window that they fill."""
    pool = newest.pool
    look_ns = LIMITED_LOOK_NS - MINUTE_NS if view.principal.is_limited else LOOK_NS
    window = Window(max(newest.first_ns, newest.last_ns - look_ns) // MINUTE_NS * MINUTE_NS, newest.last_ns + MINUTE_NS)
    place = {**as_parameters(window), "range": None, "service": pool.service, "model": pool.model}
    name = f"{pool.service or UNKNOWN} / {pool.model or UNKNOWN}"
    text = view.say("setup.older", pool=name, at=view.clock.minute(newest.last_ns))
    link = dcc.Link(view.say("setup.open_window"), href=view.address.to(view.address.path, place))
    return html.Div([html.Span(className="light is-on"), text, " ", link], className="waiting is-on", role="status")
