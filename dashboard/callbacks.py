"""The one way to register a callback on the server: it states what its caller needs, and is checked before it runs."""

import functools
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from dash import Dash

from dashboard.principal import allow, caller
from vocabulary.access import Permission

Body = Callable[..., Awaitable[Any]]
_NEEDS = "peakline_needs"
"""Attribute of a checked callback; Dash's own wrapper takes it along."""


def register(dash: Dash, needs: Permission | None, *dependencies: Any, **options: Any) -> Callable[[Body], None]:
    """Register a coroutine; a caller without `needs` gets 403 and nothing of the body runs.

    needs         None: any principal, and the body asks for more where the page that it draws does
    dependencies  outputs, inputs and states, as Dash takes them
    """

    def add(body: Body) -> None:
        dash.callback(*dependencies, **options)(checked(body, needs))

    return add


def checked(body: Body, needs: Permission | None) -> Body:
    """The coroutine behind the check of its caller.

    raises  NotAllowedError, and RuntimeError outside a request
    """

    @functools.wraps(body)
    async def asked(*values: Any) -> Any:
        allow(caller(), needs)
        return await body(*values)

    setattr(asked, _NEEDS, needs)
    return asked


def callback_permissions(dash: Dash) -> Mapping[str, Permission | None]:
    """What each callback on the server needs, by its output's id; None: any principal, the page says what it needs."""
    return {name: getattr(body, _NEEDS) for name, body in _server_side(dash) if hasattr(body, _NEEDS)}


def unchecked_callbacks(dash: Dash) -> list[str]:
    """Callbacks that run on the server and check nobody: there must be none."""
    return [name for name, body in _server_side(dash) if not hasattr(body, _NEEDS)]


def _server_side(dash: Dash) -> list[tuple[str, Any]]:
    return [(name, entry["callback"]) for name, entry in dash.callback_map.items() if entry.get("callback")]
