import asyncio
import gzip
from collections.abc import Iterator

import brotli
import httpx
import pytest

from dashboard.asgi import PackedAssets, policy
from tests.dashboard.looking import NoReader, house_of
from tests.dashboard.served import serving

STYLES = "/assets/ui.css"


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    house = house_of(NoReader())  # pages are drawn later, by callbacks
    with serving(house) as url, httpx.Client(base_url=url) as found:
        yield found


def raw(client: httpx.Client, path: str, encoding: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    with client.stream("GET", path, headers={"accept-encoding": encoding, **headers}) as answer:
        return answer.status_code, dict(answer.headers), b"".join(answer.iter_raw())


def test_the_policy_lets_nothing_in_from_elsewhere() -> None:
    text = policy(["'sha256-x'"])
    assert "script-src 'self' 'sha256-x'" in text
    assert "unsafe-eval" not in text
    assert text.count("unsafe-inline") == 1
    assert "frame-ancestors 'none'" in text
    assert "http" not in text


def test_every_answer_carries_the_policy_and_its_sisters(client: httpx.Client) -> None:
    for path in ("/", "/nosuch", STYLES, "/_dash-layout"):
        headers = client.get(path).headers
        assert "sha256-" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"


def test_an_asset_is_packed_as_the_browser_can_read_it(client: httpx.Client) -> None:
    plain = raw(client, STYLES, "identity")[2]
    assert brotli.decompress(raw(client, STYLES, "gzip, br")[2]) == plain
    assert gzip.decompress(raw(client, STYLES, "gzip")[2]) == plain
    assert len(raw(client, STYLES, "br")[2]) < len(plain) / 2


def test_an_unchanged_asset_is_not_sent_again(client: httpx.Client) -> None:
    _, headers, _ = raw(client, STYLES, "br")
    status, again, body = raw(client, STYLES, "br", **{"if-none-match": headers["etag"]})
    assert (status, body, again["etag"]) == (304, b"", headers["etag"])


def test_only_a_fingerprinted_asset_may_be_kept_for_ever(client: httpx.Client) -> None:
    assert raw(client, f"{STYLES}?m=1", "br")[1]["cache-control"].endswith("immutable")
    assert raw(client, STYLES, "br")[1]["cache-control"] == "no-cache"


def test_a_missing_asset_is_a_404_and_takes_no_memory(client: httpx.Client) -> None:
    assert raw(client, "/assets/nosuch.js", "br")[0] == 404


def test_an_asset_is_compressed_once() -> None:
    asked = []

    async def app(scope: object, receive: object, send: object) -> None:
        asked.append(scope)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/css")]})  # type: ignore[operator]
        await send({"type": "http.response.body", "body": b"x" * 1000})  # type: ignore[operator]

    async def ask() -> None:
        layer = PackedAssets(app)
        scope = {
            "type": "http",
            "method": "GET",
            "path": STYLES,
            "query_string": b"",
            "headers": [(b"accept-encoding", b"br")],
        }
        for _ in range(3):
            await layer(scope, nothing, drop)

    async def nothing() -> dict[str, str]:
        return {}

    async def drop(message: object) -> None:
        return

    asyncio.run(ask())
    assert len(asked) == 1
