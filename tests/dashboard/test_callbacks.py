import asyncio

import pytest
from dash import Dash, Input, Output
from dash.backends._fastapi import reset_current_request, set_current_request
from fastapi import FastAPI, Request

from dashboard.app import mount_dashboard
from dashboard.callbacks import callback_permissions, checked, unchecked_callbacks
from dashboard.principal import NotAllowedError
from tests.dashboard.looking import NoReader, house_of
from tests.dashboard.people import ADA, SENDER
from vocabulary.access import Permission, Principal


@pytest.fixture
def dash() -> Dash:
    return mount_dashboard(FastAPI(), lambda _: house_of(NoReader()))


def asked_by(principal: Principal, needs: Permission | None) -> str:
    async def body(word: str) -> str:
        return word * 2

    async def ask() -> str:
        request = Request({"type": "http", "state": {"principal": principal}})
        asked = set_current_request(request)
        try:
            said: str = await checked(body, needs)("ha")
        finally:
            reset_current_request(asked)
        return said

    return asyncio.run(ask())


def test_the_body_runs_for_who_may() -> None:
    assert asked_by(ADA, Permission.ADMINISTER) == "haha"
    assert asked_by(SENDER, None) == "haha"


def test_the_body_does_not_run_for_who_may_not() -> None:
    with pytest.raises(NotAllowedError):
        asked_by(SENDER, Permission.READ)


def test_a_callback_outside_a_request_raises_and_never_runs_unlimited() -> None:
    async def body() -> str:
        return "told"

    with pytest.raises(RuntimeError):
        asyncio.run(checked(body, None)())  # type: ignore[arg-type]  # an awaitable of a coroutine function is one


def test_what_every_callback_needs_is_listed(dash: Dash) -> None:
    named = {name.partition("@")[0].strip("."): needs for name, needs in callback_permissions(dash).items()}
    assert named == {
        "meta.children...menu.children...choices.children...head.children...bar.children...body.children": None,
        "body.children": None,
        "span.children": Permission.READ,
        "tokens.rows...users.rows": Permission.READ_SETTINGS,
    }
    assert not unchecked_callbacks(dash)


def test_a_callback_registered_past_the_check_is_found(dash: Dash) -> None:
    async def open_to_all(value: str) -> str:
        return value

    dash.callback(Output("body", "title"), Input("url", "hash"))(open_to_all)
    assert unchecked_callbacks(dash) == ["body.title"]
    assert "body.title" not in callback_permissions(dash)
