from collections.abc import Iterator

import httpx
import pytest

from dashboard.view import LANGUAGE_COOKIE
from tests.dashboard.looking import NoReader, house_of
from tests.dashboard.served import serving


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    house = house_of(NoReader())  # pages are drawn later, by callbacks
    with serving(house) as url, httpx.Client(base_url=url) as found:
        yield found


def test_the_document_speaks_the_readers_language_before_anything_is_drawn(client: httpx.Client) -> None:
    assert '<html lang="en">' in client.get("/").text
    chinese = client.get("/?lang=zh").text
    assert '<html lang="zh-Hans">' in chinese
    assert "加载中" in chinese
    assert '<html lang="zh-Hans">' in client.get("/health", headers={"cookie": f"{LANGUAGE_COOKIE}=zh"}).text


def test_the_documents_language_is_the_browsers_where_nothing_was_chosen(client: httpx.Client) -> None:
    asked = {"accept-language": "zh-CN,zh;q=0.9"}
    assert '<html lang="zh-Hans">' in client.get("/health", headers=asked).text
    assert '<html lang="en">' in client.get("/health?lang=en", headers=asked).text


def test_the_frame_speaks_the_language_that_the_browser_remembers_or_prefers(client: httpx.Client) -> None:
    for headers in ({"cookie": f"{LANGUAGE_COOKIE}=zh"}, {"accept-language": "zh"}):
        assert (
            "跳到正文"
            in client.get("/_dash-layout", headers=headers).json()["props"]["children"][4]["props"]["children"]
        )
    assert "Skip to content" in client.get("/_dash-layout").text


def test_the_colour_scheme_is_set_before_the_styles(client: httpx.Client) -> None:
    text = client.get("/").text
    assert text.index("/assets/boot.js") < text.index("/assets/ui.css")


def test_the_chart_library_is_fetched_early_only_where_charts_are(client: httpx.Client) -> None:
    assert 'rel="preload"' in client.get("/").text
    assert 'rel="preload"' not in client.get("/setup").text


def test_no_socket_is_opened_that_nothing_uses(client: httpx.Client) -> None:
    assert '"websocket"' not in client.get("/").text
