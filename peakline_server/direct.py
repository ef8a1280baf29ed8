"""Telemetry goes straight to its receiver, past the frameworks of the pages: they would read bodies before it does."""

from collections.abc import Sequence

from starlette.routing import Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send


class Direct:
    """Answers what one of the routes takes, method included; everything else goes to the application."""

    def __init__(self, app: ASGIApp, routes: Sequence[Route]) -> None:
        self._app = app
        self._routes = tuple(routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on."""
        if scope["type"] == "http":
            for route in self._routes:
                match, child = route.matches(scope)
                if match is Match.FULL:
                    await route.handle({**scope, **child}, receive, send)
                    return
        await self._app(scope, receive, send)
