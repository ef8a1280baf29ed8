"""The screens in a real browser, on a real store, under the strict content security policy."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from dashboard.house import DashboardHouse
from tests.dashboard.browsing import charts, chromium, reading, settle
from tests.dashboard.conftest import filled_house
from tests.dashboard.served import serving

__all__ = ["filled_house"]
pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
HOUR = "/?range=1h"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def url(browser: Browser, filled_house: DashboardHouse) -> Iterator[str]:
    with serving(filled_house) as found:
        yield found


@pytest.fixture
def page(browser: Browser, url: str) -> Iterator[Page]:
    with reading(browser, url) as found:
        yield found


def faults(page: Page) -> list[str]:
    """What axe finds against WCAG 2 A and AA, as rule and place."""
    options = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}}
    found: dict[str, Any] = Axe().run(page, options=options).response
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def test_the_overview_shows_rates_with_intervals_the_fixed_line_alerts_and_losses(page: Page) -> None:
    page.goto(HOUR)
    settle(page)
    charts(page)
    expect(page.locator(".figure.is-defect")).to_contain_text(re.compile(r"%\s*\[.+\] % at 95 % · n = [\d,]+"))
    expect(page.locator(".annotation", has_text="fixed line 0.16")).to_be_visible()
    expect(page.locator("#body")).to_contain_text("invalid_trace_id")
    expect(page.get_by_role("region", name="Where the rules stand")).to_contain_text("firing")
    expect(page.get_by_role("region", name="Defects per traffic tier").locator("svg.forest").first).to_be_visible()
    assert page.title() == "Overview · Peakline"


def test_a_drag_over_the_chart_is_the_pages_window_and_back_undoes_it(page: Page) -> None:
    page.goto(HOUR)
    settle(page)
    charts(page)
    box = page.locator(".js-plotly-plot .nsewdrag").first.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.5, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, middle, steps=8)
    page.mouse.up()
    page.wait_for_url(re.compile(r"from="))
    found = re.search(r"from=([^&]+)&to=([^&]+)", unquote(page.url))
    assert found is not None
    assert "2026-11-30T12:29" <= found[1] <= "2026-11-30T12:31"
    assert "2026-11-30T12:44" <= found[2] <= "2026-11-30T12:46"
    settle(page)
    expect(page.locator(".ticker")).to_have_count(0)
    page.go_back()
    expect(page.locator(".segment.is-chosen")).to_have_text("1h")
    assert "from=" not in page.url


def test_local_time_moves_the_axis_and_a_drag_there_still_means_utc(page: Page) -> None:
    page.goto("/?range=1h&tz=local")
    settle(page)
    charts(page)
    expect(page.locator(".zone")).to_have_text("Asia/Shanghai")
    expect(page.locator(".xtick").first).to_contain_text("20:")
    box = page.locator(".js-plotly-plot .nsewdrag").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + 20, steps=8)
    page.mouse.up()
    page.wait_for_url(re.compile(r"from=2026-11-30T12(:|%3A)(29|30|31)"))


def test_a_written_window_goes_to_the_address_and_a_wrong_one_does_not(page: Page) -> None:
    page.goto(HOUR)
    settle(page)
    page.get_by_label("From").fill("yesterday")
    page.get_by_role("button", name="Apply").click()
    assert "from=" not in page.url
    page.get_by_label("From").fill("2026-11-30 12:10")
    page.get_by_label("To").fill("2026-11-30 12:40:30")
    page.get_by_role("button", name="Apply").click()
    page.wait_for_url(re.compile(r"from=2026-11-30T12(:|%3A)10(:|%3A)00Z&to=2026-11-30T12(:|%3A)40(:|%3A)30Z"))


def test_the_overview_refreshes_itself_with_one_question_at_a_time_and_can_be_paused(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.post_data or "") if "_dash-update" in request.url else None)
    page.goto("/?range=15m")
    settle(page)
    with page.expect_request(lambda request: '"ticker.tick"' in (request.post_data or ""), timeout=12_000):
        pass
    settle(page)
    page.locator(".ticker").click()
    expect(page.locator(".ticker")).to_contain_text("paused")
    count = len(asked)
    page.wait_for_timeout(6500)
    assert len(asked) == count


def test_a_load_test_takes_the_place_of_production(page: Page) -> None:
    page.goto(HOUR)
    settle(page)
    page.get_by_label("Source").select_option(label="sweep-2026-11 · chat-api / llama-4-70b-fp8")
    page.wait_for_url(re.compile("load_test=sweep-2026-11"))
    charts(page)
    expect(page.get_by_role("region", name="Defects per traffic tier").locator("tbody tr")).to_have_count(6)
    expect(page.locator(".xtick", has_text="n=120").first).to_be_visible()


def test_filters_are_in_the_address_and_a_row_leads_to_its_request(page: Page) -> None:
    page.goto("/requests?range=1h")
    settle(page)
    page.get_by_label("outcome").select_option(label="failed")
    page.wait_for_url(re.compile("outcome=failed"))
    settle(page)
    page.get_by_label("tenant").fill("tenant-1")
    page.get_by_label("tenant").press("Enter")
    page.wait_for_url(re.compile("tenant=tenant-1"))
    settle(page)
    rows = page.locator("#requests tbody tr")
    expect(rows.first).to_contain_text("tenant-1")
    expect(rows.first).to_contain_text("failed")
    page.reload()
    expect(rows.first).to_contain_text("tenant-1")
    rows.first.locator("a").click()
    page.wait_for_url(re.compile(r"/requests/[0-9a-f]{32}\?range=1h$"))
    expect(page.locator(".wf-row").first).to_be_visible()


def test_pages_of_a_list_go_older_and_newer(page: Page) -> None:
    page.goto("/requests?range=6h")
    settle(page)
    first = page.locator("#requests tbody a").first.inner_text()
    page.get_by_role("link", name="older").first.click()
    page.wait_for_url(re.compile("cursor="))
    expect(page.locator("#requests tbody a").first).not_to_have_text(first)
    page.get_by_role("link", name="newer").first.click()
    expect(page.locator("#requests tbody a").first).to_have_text(first)


def test_the_waterfall_is_driven_by_keys_and_shows_the_span(page: Page) -> None:
    page.goto("/requests?range=1h&service=chat-api")
    settle(page)
    page.locator("#requests tbody a").first.click()
    tree = page.get_by_role("tree")
    expect(tree.get_by_role("treeitem")).to_have_count(5)
    tree.focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    expect(page.locator("#span h3")).to_contain_text("llm_request")
    expect(page.locator("#span")).to_contain_text("gen_ai.latency.time_in_queue")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(tree.get_by_role("treeitem")).to_have_count(19)
    page.keyboard.press("ArrowLeft")
    expect(tree.get_by_role("treeitem")).to_have_count(5)
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    expect(tree.get_by_role("treeitem")).to_have_count(1)
    expect(page.locator("#span h3")).to_contain_text("POST /v1/chat/completions")


def test_what_nobody_accounts_for_is_visible_in_the_waterfall(page: Page) -> None:
    page.goto("/requests?range=1h&service=chat-api")
    settle(page)
    page.locator("#requests tbody a").first.click()
    expect(page.locator(".wf-row .wf-gap").first).to_be_attached()
    assert "unattributed" in (page.locator(".wf-row .wf-gap").first.get_attribute("title") or "")


def test_keys_go_to_pages_but_not_while_somebody_types(page: Page) -> None:
    page.goto("/requests?range=1h")
    settle(page)
    page.get_by_label("tenant").focus()
    page.keyboard.type("go")
    assert "/requests" in page.url
    page.get_by_label("tenant").fill("")
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("g")
    page.keyboard.press("o")
    page.wait_for_url(re.compile(r"/\?range=1h$"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
    page.keyboard.press("g")
    page.keyboard.press("r")
    page.wait_for_url(re.compile("/requests"))
    expect(page.locator("#main")).to_be_focused()


def test_the_skip_link_comes_first(page: Page) -> None:
    page.goto("/alerts")
    settle(page)
    page.keyboard.press("Tab")
    expect(page.locator("#skip")).to_be_focused()


def test_every_page_is_there_in_chinese_and_remembered(page: Page) -> None:
    page.goto("/?range=1h&lang=zh")
    settle(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("总览")
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    for path, title in (("/requests", "请求"), ("/alerts", "告警"), ("/setup", "接入"), ("/health", "健康")):
        page.goto(path)
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        settle(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "path", [HOUR, "/requests?range=1h", "/alerts", "/setup", "/health", "/?load_test=sweep-2026-11"]
)
def test_a_page_has_no_accessibility_fault(browser: Browser, url: str, path: str, scheme: str) -> None:
    with reading(browser, url, scheme=scheme) as page:
        page.goto(path)
        settle(page)
        page.wait_for_timeout(300)
        assert faults(page) == []


def test_one_request_has_no_accessibility_fault(page: Page) -> None:
    page.goto("/requests?range=1h&service=chat-api")
    settle(page)
    page.locator("#requests tbody a").first.click()
    expect(page.locator(".wf-row").first).to_be_visible()
    assert faults(page) == []


def test_the_colour_scheme_can_be_changed_and_is_remembered(page: Page) -> None:
    page.goto("/alerts")
    settle(page)
    page.locator("#scheme").click()
    expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", "dark")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", "dark")


def test_an_unknown_page_says_so_and_leads_home(browser: Browser, url: str) -> None:
    with reading(browser, url, may_miss=True) as page:
        answer = page.goto("/nosuch")
        assert answer is not None
        assert answer.status == 404
        expect(page.locator("#body")).to_contain_text("There is no page here")
        page.get_by_role("link", name="Go to the overview").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
        settle(page)


def test_a_deep_link_is_the_first_thing_a_fresh_process_is_asked(
    browser: Browser, filled_house: DashboardHouse
) -> None:
    with serving(filled_house) as fresh, reading(browser, fresh) as page:
        page.goto("/requests?range=1h&outcome=failed&lang=zh")
        settle(page)
        expect(page.locator("#requests tbody tr").first).to_contain_text("失败")
