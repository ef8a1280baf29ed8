import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from dashboard.app import SyncCallbackError, UncheckedCallbackError, finish_dashboard, is_blocking, mount_dashboard
from tests.dashboard.looking import NoReader, house_of
from tests.dashboard.served import serving

HOUSE = house_of(NoReader())  # pages are drawn later, by callbacks


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with serving(HOUSE) as url, httpx.Client(base_url=url) as found:
        yield found


@pytest.mark.parametrize("path", ["/", "/requests", "/requests/abc", "/alerts", "/setup", "/health", "/settings"])
def test_a_page_that_exists_answers_200(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, "react-entry-point" in answer.text) == (200, True)


def test_an_unknown_page_is_a_page_with_status_404(client: httpx.Client) -> None:
    answer = client.get("/tiers")
    assert (answer.status_code, "react-entry-point" in answer.text) == (404, True)


@pytest.mark.parametrize("path", ["/api", "/api/nosuch", "/api/v1/nosuch", "/v1/nosuch", "/metrics/x"])
def test_machines_get_no_page_for_an_unknown_path(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.text) == (404, "")


def test_all_server_side_callbacks_are_coroutines() -> None:
    dash = mount_dashboard(FastAPI(), lambda _: HOUSE)
    asyncio.run(finish_dashboard(dash))
    assert len([entry for entry in dash.callback_map.values() if entry.get("callback")]) == 4
    assert not [name for name, entry in dash.callback_map.items() if is_blocking(entry)]


def test_a_callback_that_blocks_is_refused_at_start_up() -> None:
    from dash import Input, Output

    dash = mount_dashboard(FastAPI(), lambda _: HOUSE)
    dash.callback(Output("body", "title"), Input("url", "hash"))(lambda value: value)
    with pytest.raises(SyncCallbackError, match="must be async def"):
        asyncio.run(finish_dashboard(dash))


def test_a_callback_that_checks_nobody_is_refused_at_start_up() -> None:
    from dash import Input, Output

    async def open_to_all(value: str) -> str:
        return value

    dash = mount_dashboard(FastAPI(), lambda _: HOUSE)
    dash.callback(Output("body", "title"), Input("url", "hash"))(open_to_all)
    with pytest.raises(UncheckedCallbackError, match=r"body\.title"):
        asyncio.run(finish_dashboard(dash))


def test_the_browser_is_told_which_cookie_and_header_prove_that_a_page_of_ours_asks(client: httpx.Client) -> None:
    text = client.get("/").text
    assert '"csrf_token_name":"peakline_csrf"' in text
    assert '"csrf_header_name":"X-CSRF-Token"' in text


def test_no_route_is_added_while_the_process_starts() -> None:
    app = FastAPI()
    dash = mount_dashboard(app, lambda _: HOUSE)
    before = len(app.routes)
    backend: Any = dash.backend
    backend._setup_catchall()
    assert len(app.routes) == before


def test_a_fresh_process_has_all_its_assets_at_the_first_deep_link() -> None:
    with serving(HOUSE) as url:
        text = httpx.get(f"{url}/requests/abc").text
    assert all(
        f"/assets/{name}" in text
        for name in ("ui.js", "table.js", "waterfall.js", "forms.js", "session.js", "ui.css", "boot.js")
    )


def test_nothing_is_fetched_from_elsewhere(client: httpx.Client) -> None:
    text = client.get("/").text
    assert 'src="http' not in text
    assert 'href="http' not in text
