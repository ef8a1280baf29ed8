"""The routes of log-in, ready to stand in front of an application."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp

from access.contract import Gate
from access.web.log_in import Door
from access.web.oidc import CALLBACK, OidcDoor
from access.web.oidc_provider import OidcProvider
from access.web.oidc_settings import OidcSettings
from access.web.oidc_ticket import TicketBox
from access.web.settings import WebSettings

_ASSETS = Path(__file__).parent / "assets"
_MEDIA_TYPES = {"style.css": "text/css", "logo.svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class ProviderParts:
    """What log-in through a provider needs.

    ticket_key  32 random bytes or more, shared by the processes that serve the same pages
    clock_ns    the time
    """

    settings: OidcSettings
    ticket_key: bytes
    clock_ns: Callable[[], int]


def routes(gate: Gate | None, settings: WebSettings, provider: ProviderParts | None = None) -> list[Route]:
    """Log-in, log-out, their two files, and the provider's way there and back if there is one.

    gate    None while access is off; the routes then say so
    raises  OidcSettingsError when a provider is given but no public address
    """
    door = Door(gate, settings, provider.settings.label if provider and gate else "")
    found = [
        Route("/login", door.show, methods=["GET"], name="log_in"),
        Route("/login", door.submit, methods=["POST"], name="log_in_submit"),
        Route("/logout", door.log_out, methods=["POST"], name="log_out"),
    ]
    if provider and gate:
        box = TicketBox(provider.ticket_key, provider.clock_ns)
        oidc = OidcDoor(door, OidcProvider(provider.settings, provider.clock_ns), box)
        found += [
            Route("/login/oidc", oidc.start, methods=["GET"], name="oidc_start"),
            Route(CALLBACK, oidc.come_back, methods=["GET"], name="oidc_callback"),
        ]
    return [*found, Route("/login/{name}", asset, methods=["GET"], name="log_in_asset")]


async def asset(request: Request) -> Response:
    """The style sheet or the logo."""
    name = request.path_params["name"]
    if name not in _MEDIA_TYPES:
        return Response("", 404)
    content = (_ASSETS / name).read_bytes()
    return Response(content, media_type=_MEDIA_TYPES[name], headers={"Cache-Control": "public, max-age=3600"})


def in_front_of(app: ASGIApp, own: list[Route]) -> ASGIApp:
    """Answers these routes, and passes everything else on to the application as it is."""
    router = Router(own, redirect_slashes=False)
    router.default = app
    return router
