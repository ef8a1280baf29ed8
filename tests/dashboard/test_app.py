import asyncio
from collections.abc import Iterator

import httpx
import pytest
from fastapi import FastAPI

from dashboard.app import SyncCallbackError, finish_dashboard, is_blocking, mount_dashboard
from tests.dashboard.looking import NoReader, house_of
from tests.dashboard.served import serving

HOUSE = house_of(NoReader())  # pages are drawn later, by callbacks


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with serving(HOUSE) as url, httpx.Client(base_url=url) as found:
        yield found


@pytest.mark.parametrize("path", ["/", "/requests", "/requests/abc", "/alerts", "/setup", "/health"])
def test_a_page_that_exists_answers_200(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, "react-entry-point" in answer.text) == (200, True)


def test_an_unknown_page_is_a_page_with_status_404(client: httpx.Client) -> None:
    answer = client.get("/tiers")
    assert (answer.status_code, "react-entry-point" in answer.text) == (404, True)


@pytest.mark.parametrize("path", ["/api/nosuch", "/api/v1/nosuch", "/v1/nosuch"])
def test_machines_get_no_page_for_an_unknown_path(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.text) == (404, "")


def test_all_server_side_callbacks_are_coroutines() -> None:
    dash = mount_dashboard(FastAPI(), HOUSE)
    asyncio.run(finish_dashboard(dash))
    assert len([entry for entry in dash.callback_map.values() if entry.get("callback")]) == 3
    assert not [name for name, entry in dash.callback_map.items() if is_blocking(entry)]


def test_a_callback_that_blocks_is_refused_at_start_up() -> None:
    from dash import Input, Output

    dash = mount_dashboard(FastAPI(), HOUSE)
    dash.callback(Output("body", "title"), Input("url", "hash"))(lambda value: value)
    with pytest.raises(SyncCallbackError, match="must be async def"):
        asyncio.run(finish_dashboard(dash))


def test_a_fresh_process_has_all_its_assets_at_the_first_deep_link() -> None:
    with serving(HOUSE) as url:
        text = httpx.get(f"{url}/requests/abc").text
    assert all(f"/assets/{name}" in text for name in ("ui.js", "table.js", "waterfall.js", "ui.css", "boot.js"))


def test_nothing_is_fetched_from_elsewhere(client: httpx.Client) -> None:
    text = client.get("/").text
    assert 'src="http' not in text
    assert 'href="http' not in text
