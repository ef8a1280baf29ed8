"""Which part gets what: the application of one server process, and its start and stop order."""

import contextlib
import shlex
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from dash import Dash
from fastapi import FastAPI
from starlette.types import ASGIApp

from alerts.views import AlertsView
from api.app import api_router
from api.house import ApiHouse
from dashboard.app import finish_dashboard, mount_dashboard
from dashboard.asgi import ContentSecurityPolicy, PackedAssets
from dashboard.house import DashboardHouse, Endpoints
from dashboard.malformed import WellFormed
from peakline_server.background import Repeating, failing_names
from peakline_server.change_log import ChangeLog
from peakline_server.endpoints import endpoints_of
from peakline_server.guarding import Guard
from peakline_server.parts import ROLLUP_EVERY_S, Alerting, Ingest, Stores, open_stores, rollup_round
from peakline_server.program import program
from peakline_server.settings import Role, ServeSettings
from peakline_server.settings_view import SettingsView
from peakline_server.watching import Services, Watching
from store.telemetry.reader import Reader
from store.telemetry.tenant_reader import TenantReader
from vocabulary.access import Principal
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
    reload    read changed files now
    """

    app: ASGIApp
    lifespan: Callable[[], contextlib.AbstractAsyncContextManager[None]]
    close: Callable[[], None]
    greeting: Callable[[], str]
    reload: Callable[[], None]


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
    works: list[Repeating] = []
    guard = Guard.open(settings, stores.control, clock_ns)
    ingest: Ingest | None = None
    if settings.role in {Role.ALL, Role.INGEST}:
        ingest = Ingest(settings, stores, clock_ns)
        closing.callback(ingest.close)
        works += ingest.works
        api.router.routes.extend(ingest.receiver.routes())
    if settings.role is Role.EVALUATOR:
        stores.rollup.recover()
    rollup = Repeating("rollup", ROLLUP_EVERY_S, rollup_round(settings.role, stores.rollup))
    closing.callback(rollup.close)
    alerting = Alerting(settings, stores, clock_ns, evaluates=settings.role in {Role.ALL, Role.EVALUATOR})
    closing.callback(alerting.close)
    services = Services(settings.services, stores, ingest)
    log = ChangeLog(stores.telemetry.writer, stores.telemetry.reader, clock_ns)
    watching = Watching(settings, services, alerting, log, clock_ns)
    closing.callback(watching.close)
    works += [rollup, *alerting.works, *watching.works]
    parts = _Parts(settings, stores, alerting.view, works, clock_ns, guard, services, watching, log)
    app, lifespan = _application(api, parts)
    door = guard.around(app, ingest.receiver if ingest else None)
    return Server(door, lifespan, closing.close, lambda: greeting(settings, parts.endpoints), watching.reload)


Lifespan = Callable[[], contextlib.AbstractAsyncContextManager[None]]


def _application(api: FastAPI, parts: "_Parts") -> tuple[ASGIApp, Lifespan]:
    """Everything that is answered, without the door; routes that are there already come first."""
    app: ASGIApp = api
    api.include_router(api_router(parts.api_house()))
    dash: Dash | None = None
    if parts.settings.role in {Role.ALL, Role.WEB}:
        dash = mount_dashboard(api, parts.dashboard_house)
        app = PackedAssets(ContentSecurityPolicy(WellFormed(api, dash), dash))

    @contextlib.asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        async with api.router.lifespan_context(api):
            if dash is not None:
                await finish_dashboard(dash)
            yield

    return app, lifespan


@dataclass(frozen=True, slots=True)
class _Parts:
    """What API and dashboard are given."""

    settings: ServeSettings
    stores: Stores
    alerts: AlertsView
    works: list[Repeating]
    clock_ns: Callable[[], int]
    guard: Guard
    services: Services
    watching: Watching
    log: ChangeLog

    @property
    def endpoints(self) -> Endpoints:
        """Where emitters and people reach this process."""
        return endpoints_of(self.settings)

    def failing(self) -> tuple[str, ...]:
        """Names of what fails beside the requests."""
        return (*failing_names(self.works), *self.watching.failing())

    def reader_for(self, principal: Principal) -> Reader | TenantReader:
        """What a caller may read."""
        return self.stores.telemetry.reader.within(principal.tenants)

    def api_house(self) -> ApiHouse:
        """For the API."""
        return ApiHouse(
            reader_for=self.reader_for,
            alerts=self.alerts,
            clock_ns=self.clock_ns,
            pending_minutes=self.stores.rollup.pending,
            version=VERSION,
            started_ns=self.clock_ns(),
            store_healthy=self.stores.healthy,
            failing=self.failing,
            administration=self.guard.room.administration if self.guard.room else None,
            settings=self.watching.rows,
            services=lambda: self.services.book,
        )

    def dashboard_house(self, principal: Principal) -> DashboardHouse:
        """For the dashboard, as one caller sees it."""
        return DashboardHouse(
            reader=self.reader_for(principal),
            alerts=self.alerts,
            clock_ns=self.clock_ns,
            pending_minutes=self.stores.rollup.pending,
            endpoints=lambda: self.endpoints,
            principal=principal,
            settings=SettingsView(self.guard.room, self.watching.rows, self.log, self.watching.problems),
            failing=self.failing,
            services=lambda: self.services.book,
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


def made_by(settings: ServeSettings) -> str:
    """The command that makes a token for a sender of this server, as it is typed here."""
    where = "" if settings.control else f" --data {shlex.quote(str(settings.data))}"
    return f"{program()} tokens create NAME --role ingest{where}"


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
        *(["  export OTEL_EXPORTER_OTLP_HEADERS='authorization=Bearer%20TOKEN'"] if settings.web.is_on else []),
        "  export OTEL_SERVICE_NAME=my-model-service",
        *([f"A token for senders: {made_by(settings)}"] if settings.web.is_on else []),
        f"More ways to send: {endpoints.main_url}/setup",
    ]
