"""A real Chromium that fails a test when the console shows an error or anything outside is asked for."""

import contextlib
import os
import re
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
NOT_FOUND = re.compile(r"Failed to load resource: the server responded with a status of 404")


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
def reading(browser: Browser, url: str, *, scheme: str = "light", may_miss: bool = False) -> Iterator[Page]:
    """A page that starts on nothing; at the end no console error and no outside request may have happened.

    may_miss  whether one document may answer 404, which Chromium writes to the console
    """
    context = browser.new_context(
        base_url=url,
        viewport={"width": 1440, "height": 900},
        color_scheme=scheme,  # type: ignore[arg-type]  # light or dark
        timezone_id="Asia/Shanghai",
        locale="en-GB",
    )
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: wrong.append(request.url) if is_outside(request.url, url) else None)
    yield page
    context.close()
    assert not [text for text in wrong if not (may_miss and NOT_FOUND.search(text))]


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
