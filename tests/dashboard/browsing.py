"""A real Chromium that fails a test when the console shows an error or anything outside is asked for."""

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
STATUS = re.compile(r"Failed to load resource: the server responded with a status of (\d{3})")


def chromium_path() -> str:
    """Chromium of this machine; skips the test where there is none, except under CI, where it fails."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        reason = "no Chromium is installed: browser tests need one (Debian: apt-get install chromium)"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser."""
    path = chromium_path()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@contextlib.contextmanager
def reading(
    browser: Browser,
    url: str,
    *,
    scheme: str = "light",
    locale: str = "en-GB",
    may_miss: bool = False,
    statuses: tuple[int, ...] = (),
) -> Iterator[Page]:
    """A page that starts on nothing; at the end no console error and no outside request may have happened.

    may_miss  whether one document may answer 404, which Chromium writes to the console
    statuses  others that answers may have, for the same reason
    """
    context = browser.new_context(
        base_url=url,
        viewport={"width": 1440, "height": 900},
        color_scheme=scheme,  # type: ignore[arg-type]  # light or dark
        timezone_id="Asia/Shanghai",
        locale=locale,
    )
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: wrong.append(request.url) if is_outside(request.url, url) else None)
    yield page
    context.close()
    allowed = {str(status) for status in (*statuses, *((404,) if may_miss else ()))}
    unexpected = [text for text in wrong if not ((found := STATUS.search(text)) and found[1] in allowed)]
    assert not unexpected, unexpected


def is_outside(asked: str, url: str) -> bool:
    """Whether a request left the server; data and blob URLs never do."""
    return not asked.startswith((url, "data:", "blob:"))


def settle(page: Page) -> None:
    """Wait until the page's body is drawn and nothing is under way."""
    expect(page.locator("#body h2").first).to_be_visible(timeout=30_000)
    expect(page.locator("#body")).not_to_have_attribute("data-dash-is-loading", "true", timeout=30_000)


def charts(page: Page) -> None:
    """Wait until the charts are drawn."""
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=60_000)


def faults(page: Page) -> list[str]:
    """What axe finds against WCAG 2 A and AA, as rule and place."""
    options = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}}
    found: dict[str, Any] = Axe().run(page, options=options).response
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]
