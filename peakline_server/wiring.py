"""Which part gets what: the application of one server process, and its start and stop order."""

import contextlib
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from dash import Dash
from fastapi import FastAPI
from starlette.types import ASGIApp

from api.app import api_router
from api.house import ApiHouse
from dashboard.app import finish_dashboard, mount_dashboard
from dashboard.asgi import ContentSecurityPolicy, PackedAssets
from dashboard.house import DashboardHouse, Endpoints
from peakline_server.background import Repeating
from peakline_server.parts import ROLLUP_EVERY_S, Alerting, Ingest, Stores, open_stores, rollup_round
from peakline_server.principal import ANONYMOUS, PrincipalLayer
from peakline_server.settings import Role, ServeSettings
from vocabulary.errors import PeaklineError

VERSION = "0.1.0"


class RoleError(PeaklineError):
    """The role needs stores that several processes can share."""


@dataclass(frozen=True, slots=True)
class Server:
    """A process that is ready to listen.

    app       what every listener answers with
    lifespan  to be entered before the first request
    close     parts in reverse order of their start; what was acknowledged is on disk after it
    """

    app: ASGIApp
    lifespan: Callable[[], contextlib.AbstractAsyncContextManager[None]]
    close: Callable[[], None]
    greeting: Callable[[], str]


def build_server(settings: ServeSettings, clock_ns: Callable[[], int] = time.time_ns) -> Server:
    """Open the stores, recover, start the parts of the role.

    raises  PeaklineError with one sentence for a person
    """
    if settings.role is not Role.ALL and not (settings.store and settings.control):
        message = (
            f"--role {settings.role} needs stores that several processes can share: give --store and --control, "
            "or run one process with --role all"
        )
        raise RoleError(message)
    stores = open_stores(settings)
    closing = contextlib.ExitStack()
    closing.callback(stores.close)
    try:
        return _build(settings, stores, closing, clock_ns)
    except BaseException:
        closing.close()
        raise


def _build(
    settings: ServeSettings, stores: Stores, closing: contextlib.ExitStack, clock_ns: Callable[[], int]
) -> Server:
    api = FastAPI(title="Peakline", version=VERSION, docs_url=None, redoc_url=None, openapi_url=None)
    endpoints = _endpoints(settings)
    app: ASGIApp = api
    if settings.role in {Role.ALL, Role.INGEST}:
        ingest = Ingest(settings, stores, clock_ns)
        closing.callback(ingest.close)
        api.router.routes.extend(ingest.receiver.routes())
    closing.callback(Repeating("rollup", ROLLUP_EVERY_S, rollup_round(settings.role, stores.rollup)).close)
    alerting = Alerting(settings, stores, clock_ns, evaluates=settings.role in {Role.ALL, Role.EVALUATOR})
    closing.callback(alerting.close)
    dash: Dash | None = None
    api.include_router(api_router(_api_house(stores, alerting, clock_ns)))
    if settings.role in {Role.ALL, Role.WEB}:
        dash = mount_dashboard(api, _dashboard_house(stores, alerting, clock_ns, endpoints))
        app = PackedAssets(ContentSecurityPolicy(api, dash))

    @contextlib.asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        async with api.router.lifespan_context(api):
            if dash is not None:
                await finish_dashboard(dash)
            yield

    return Server(PrincipalLayer(app), lifespan, closing.close, lambda: greeting(settings, endpoints))


def _endpoints(settings: ServeSettings) -> Endpoints:
    main = f"http://{settings.host}:{settings.port}"
    otlp = f"http://{settings.host}:{settings.otlp_http_port}" if settings.otlp_http_port else main
    return Endpoints(main_url=main, otlp_http_url=otlp)


def _api_house(stores: Stores, alerting: Alerting, clock_ns: Callable[[], int]) -> ApiHouse:
    return ApiHouse(
        reader=stores.telemetry.reader,
        alerts=alerting.view,
        clock_ns=clock_ns,
        pending_minutes=stores.rollup.pending,
        version=VERSION,
        started_ns=clock_ns(),
        store_healthy=stores.healthy,
    )


def _dashboard_house(
    stores: Stores, alerting: Alerting, clock_ns: Callable[[], int], endpoints: Endpoints
) -> DashboardHouse:
    return DashboardHouse(
        reader=stores.telemetry.reader,
        alerts=alerting.view,
        clock_ns=clock_ns,
        pending_minutes=stores.rollup.pending,
        endpoints=lambda: endpoints,
        principal=lambda: ANONYMOUS,
    )


def greeting(settings: ServeSettings, endpoints: Endpoints) -> str:
    """What a person reads when the server is ready: where to look, what to paste into an emitter."""
    lines = [f"Peakline {VERSION} is ready."]
    if settings.role in {Role.ALL, Role.WEB}:
        lines.append(f"  Dashboard  {endpoints.main_url}/")
    lines.append(f"  API        {endpoints.main_url}/api/docs")
    if settings.role in {Role.ALL, Role.INGEST}:
        lines += _how_to_send(settings, endpoints)
    return "\n".join([*lines, "", "Ctrl-C stops the server."])


def _how_to_send(settings: ServeSettings, endpoints: Endpoints) -> list[str]:
    lines = [f"  OTLP/HTTP  {endpoints.otlp_http_url}/v1/traces"]
    if settings.otlp_grpc_port:
        lines.append("  OTLP/gRPC is not received yet; set emitters to http/protobuf.")
    return [
        *lines,
        "",
        "Paste this where your gateway or engine starts:",
        f"  export OTEL_EXPORTER_OTLP_ENDPOINT={endpoints.otlp_http_url}",
        "  export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
        "  export OTEL_SERVICE_NAME=my-model-service",
        f"More ways to send: {endpoints.main_url}/setup",
    ]
