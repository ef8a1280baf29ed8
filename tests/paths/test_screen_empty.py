"""What somebody sees who has sent nothing yet, and how it turns when the first request comes."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from store.control.open import Control
from store.telemetry.open import Telemetry
from tests.dashboard.browsing import chromium, reading, settle
from tests.dashboard.looking import house_of
from tests.dashboard.scenery import NOW_NS, FixedAlerts
from tests.dashboard.served import serving
from tests.factories.requests import request_rows, shown
from tests.factories.stores import START_NS

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def test_an_empty_overview_shows_what_to_paste_and_turns_when_data_come(
    browser: Browser, telemetry: Telemetry, control: Control
) -> None:
    house = house_of(telemetry.reader, FixedAlerts([], []))
    with serving(house) as url, reading(browser, url) as page:
        page.goto("/?range=15m")
        settle(page)
        expect(page.locator("#body")).to_contain_text("Waiting for the first span")
        expect(page.locator("#body")).to_contain_text('export OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:4318"')
        shown(telemetry, control, request_rows(5, (NOW_NS - START_NS) / 1e9 - 600))
        expect(page.locator(".figure-value").first).to_have_text("5", timeout=20_000)


def test_an_empty_list_and_the_set_up_page_show_the_same_lines(browser: Browser, telemetry: Telemetry) -> None:
    house = house_of(telemetry.reader, FixedAlerts([], []))
    with serving(house) as url, reading(browser, url) as page:
        for path in ("/requests", "/setup"):
            page.goto(path)
            settle(page)
            expect(page.locator("#body")).to_contain_text("vllm serve MODEL --otlp-traces-endpoint")
            expect(page.locator("#body")).to_contain_text("Waiting for the first span")


def test_a_line_is_copied_by_one_press(browser: Browser, telemetry: Telemetry) -> None:
    with serving(house_of(telemetry.reader)) as url, reading(browser, url) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.goto("/setup")
        settle(page)
        page.locator(".copy-block .copy").last.click()
        expect(page.locator(".copy-done").last).to_have_text("copied")
        assert page.evaluate("navigator.clipboard.readText()") == "make demo"
