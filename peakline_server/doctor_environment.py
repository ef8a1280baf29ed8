"""Variables and limits of this process that keep telemetry from arriving, or a server from serving."""

import resource
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from peakline_server.doctor_finding import Finding, Place, ok, warning

OTEL, PROXY, FILES = "OpenTelemetry variables", "proxy variables", "open files"
GRPC_PORT = 4317
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL")
_PROXIES = ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY")
_FILES_FEW = 4096
_HTTP = "http/protobuf"


def otel(place: Place) -> list[Finding]:
    """What emitters started from this shell would be told."""
    return [*_otel(place.environment)] or [ok(OTEL, "Nothing here keeps an emitter from sending over HTTP.")]


def _otel(environment: Mapping[str, str]) -> Iterator[Finding]:
    for name in _ENDPOINTS:
        if _port(environment.get(name, "")) == GRPC_PORT:
            said = f"{name}={_without_user(environment[name])} is the port of gRPC, which is not received yet."
            yield warning(OTEL, said, f"Use port 4318, and {_PROTOCOLS[0]}={_HTTP}.")
    for name in _PROTOCOLS:
        if environment.get(name, _HTTP) != _HTTP:
            yield warning(OTEL, f"{name}={environment[name]} is not received.", f"Set {name}={_HTTP}.")


def _port(address: str) -> int | None:
    try:
        return urlsplit(address if "://" in address else f"//{address}").port
    except ValueError:
        return None


def _without_user(address: str) -> str:
    """An address without a user and a password, which some put there."""
    before, _, place = address.rpartition("@")
    return f"{before.partition('://')[0]}://{place}" if "://" in before else place


def proxy(place: Place) -> list[Finding]:
    """Whether requests of other programs to this machine would go through a proxy."""
    environment = place.environment
    told = next((name for name in _PROXIES if environment.get(name)), None)
    excepted = {one.strip() for one in _excepted(environment).split(",")}
    if told is None or "*" in excepted or {"localhost", "127.0.0.1"} <= excepted:
        return [ok(PROXY, "Requests to this machine go through no proxy.")]
    said = f"{told} is set: emitters on this machine send to 127.0.0.1 through that proxy, which cannot reach it."
    return [warning(PROXY, said, "Set no_proxy=localhost,127.0.0.1 where emitters start.")]


def _excepted(environment: Mapping[str, str]) -> str:
    return environment.get("no_proxy") or environment.get("NO_PROXY") or ""


def files(_place: Place) -> list[Finding]:
    """How many files and connections a server started from here may have open."""
    return [judged(*resource.getrlimit(resource.RLIMIT_NOFILE))]


def judged(soft: int, hard: int) -> Finding:
    """What the limits on open files mean for a server."""
    if soft == resource.RLIM_INFINITY or soft >= _FILES_FEW:
        return ok(FILES, "As many as wanted." if soft == resource.RLIM_INFINITY else f"{soft:,} at once.")
    said = f"{soft:,} at once: each connection is one, and the store has hundreds."
    fix = f"`ulimit -n {_FILES_FEW}` before the server starts, or LimitNOFILE={_FILES_FEW} in its unit."
    allowed = hard == resource.RLIM_INFINITY or hard >= _FILES_FEW
    return warning(FILES, said, fix if allowed else f"{fix} The system's own limit is {hard:,}: raise that, too.")
