"""Who sends, who has fallen silent, and what was turned away."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from peakline_server.doctor_finding import Finding, Place, ok, skipped, warning
from peakline_server.doctor_ports import MAIN, OTLP
from peakline_server.doctor_server import unanswered
from vocabulary.access import Role

POOLS, HEARD, REJECTED = "pools", "emitters", "rejected records"
_SHOWN = 8
_PAGE = 1000
_HEADERS = 'set OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20TOKEN" at them'
_HTTP = "Set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf at the emitter."
ADVICE: Mapping[str, str] = {
    "unsupported_media_type": _HTTP,
    "unsupported_encoding": "Set OTEL_EXPORTER_OTLP_COMPRESSION to gzip or none at the emitter.",
    "too_large": "Send smaller batches: OTEL_BSP_MAX_EXPORT_BATCH_SIZE, or send_batch_max_size of a collector.",
    "undecodable": f"What was sent is no OTLP trace export. {_HTTP}",
    "hollow": "An emitter sends bodies of empty messages; look for a broken proxy or test tool.",
    "stalled": "A sender falls silent in the middle of a body; look at the network and at proxies on the way.",
    "client_disconnected": "A sender hangs up before its body is whole; raise OTEL_EXPORTER_OTLP_TIMEOUT.",
    "unstorable": "A body breaks the server; its log says which. This is a fault of Peakline.",
    "invalid_trace_id": "An emitter sends spans without a trace id; it does not use an OpenTelemetry SDK as it should.",
    "invalid_span_id": "An emitter sends spans without a span id; it does not use an OpenTelemetry SDK as it should.",
    "unauthenticated": f"Senders show no valid token: {_HEADERS}, TOKEN with the role ingest.",
    "forbidden": f"Senders show a token that may not send: {_HEADERS}, TOKEN with the role ingest.",
    "access_unavailable": "Tokens could not be looked up; look at the control database and at the server's log.",
    "refused": "A sender's headers cannot be read; look for a broken proxy or test tool.",
}
"""What to do about each reason of the record ledger."""


def pools(place: Place) -> list[Finding]:
    """Pools of the last 24 hours, with their last activity."""
    reply = place.server.get("/api/v1/pools", {"from": "now-24h"})
    if not reply.is_answer:
        return [unanswered(POOLS, place, reply, Role.VIEWER)]
    found = reply.body["items"]
    if not found:
        told = [f"OTEL_EXPORTER_OTLP_ENDPOINT={_endpoint(place)}", "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"]
        told += ['OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20TOKEN"'] if place.access_enabled else []
        fix = f"Where a gateway or engine starts, set {', '.join(told[:-1])} and {told[-1]}."
        return [warning(POOLS, "No request has arrived in the last 24 hours.", fix)]
    told = [f"{pool['service']} / {pool['model'] or '?'} until {pool['last'][:19]}Z" for pool in found[:_SHOWN]]
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return [ok(POOLS, f"{len(found)} in the last 24 hours: {'; '.join(told)}{more}.")]


def _endpoint(place: Place) -> str:
    """The listener of OTLP/HTTP alone, if there is one."""
    main, port = place.public_url or place.server.url, place.ports.get(OTLP)
    host = urlsplit(main).hostname
    if host is None or port is None or port == place.ports.get(MAIN):
        return main
    return f"{place.scheme}://{f'[{host}]' if ':' in host else host}:{port}"


def heard(place: Place) -> list[Finding]:
    """Kinds of emitters that were heard of in the last 15 minutes."""
    reply = place.server.get("/api/v1/requests", {"from": "now-15m", "limit": str(_PAGE)})
    if not reply.is_answer:
        return [unanswered(HEARD, place, reply, Role.VIEWER)]
    items: list[Mapping[str, Any]] = reply.body["items"]
    counts = Counter(emitter or "unknown" for item in items for emitter in item["emitters"])
    if not items:
        return [skipped(HEARD, "No request started in the last 15 minutes.")]
    told = ", ".join(f"{emitter} ({count} requests)" for emitter, count in counts.most_common(_SHOWN))
    return [ok(HEARD, f"In the last 15 minutes: {told}.")]


def rejected(place: Place) -> list[Finding]:
    """What senders were refused in the last 24 hours, by reason, with what to do."""
    reply = place.server.get("/api/v1/ledger", {"from": "now-24h"})
    if not reply.is_answer:
        return [unanswered(REJECTED, place, reply, Role.VIEWER)]
    return [*_refusals(reply.body["ingest"])] or [ok(REJECTED, "None in the last 24 hours.")]


def _refusals(ingest: Mapping[str, Mapping[str, Any]]) -> Iterator[Finding]:
    for signal, ledger in sorted(ingest.items()):
        for reason, count in sorted(ledger["rejected"].items()):
            said = f"{count:,} records of {signal} were refused in the last 24 hours: {reason}."
            yield warning(REJECTED, said, ADVICE.get(reason, "See docs/ingest.md."))
