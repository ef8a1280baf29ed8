"""From the log-in to a token that works and stops working: real access, real API, real Chromium."""

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Page, expect

from bench.harness.server import ServerProcess, free_port
from tests.dashboard.browsing import chromium, faults, reading, settle
from tests.factories.guarded import PASSWORD, Clock, issue_tokens

pytestmark = [pytest.mark.browser]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("screen-access")
    issue_tokens(folder / "data", Clock())
    (folder / "c.yaml").write_text("access: {enabled: true}\n")
    running = ServerProcess(folder / "data", free_port(), folder / "log", options=("--config", str(folder / "c.yaml")))
    running.start()
    yield running
    assert running.stop() == 0


def log_in(page: Page, server: ServerProcess, name: str, way: str = "/settings") -> None:
    page.goto(server.url + way)
    expect(page).to_have_url(f"{server.url}/login?next={way.replace('/', '%2F')}")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page).to_have_url(server.url + way)
    settle(page)


def me(server: ServerProcess, token: str) -> int:
    return httpx.get(f"{server.url}/api/v1/me", headers={"Authorization": f"Bearer {token}"}).status_code


def test_an_administrator_makes_a_token_that_works_until_it_is_revoked(page: Page, server: ServerProcess) -> None:
    log_in(page, server, "root")
    page.get_by_text("New token").click()
    form = page.locator("#new-token")
    form.get_by_label("Name").fill("from the screen")
    form.get_by_role("button", name="Create token").click()
    text = page.locator(".message-once").locator("text=/pkl_/").first.inner_text().strip()
    assert me(server, text) == 200
    page.locator("#tokens tbody tr", has_text="from the screen").get_by_role("button").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(page.locator("#tokens tbody tr", has_text="from the screen")).to_contain_text("revoked")
    assert me(server, text) == 401


def test_a_viewer_sees_themselves_and_no_form_that_is_not_theirs(page: Page, server: ServerProcess) -> None:
    log_in(page, server, "vera")
    expect(page.locator("body")).to_contain_text("viewer")
    expect(page.get_by_text("New token")).to_have_count(0)
    expect(page.locator("body")).not_to_contain_text("server.port")


def test_the_log_out_ends_at_the_log_in_and_the_way_back_leads_there_too(page: Page, server: ServerProcess) -> None:
    log_in(page, server, "vera", "/setup")
    expect(page.locator("body")).to_contain_text("OTEL_EXPORTER_OTLP_HEADERS")
    page.locator(".account summary, .account button").first.click()
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url("**/login**")
    page.goto(f"{server.url}/setup")
    expect(page).to_have_url(f"{server.url}/login?next=%2Fsetup")


def test_the_log_in_speaks_chinese_and_fits_a_screen_reader(page: Page, server: ServerProcess) -> None:
    page.goto(f"{server.url}/login?lang=zh")
    assert page.locator("html").get_attribute("lang") == "zh-Hans"
    expect(page.get_by_role("heading", level=1)).to_have_text("登录")
    assert faults(page) == []


def test_a_wrong_password_is_told_where_it_is_read_out(server: ServerProcess) -> None:
    with chromium() as browser, reading(browser, server.url, statuses=(403,)) as page:
        page.goto("/login")
        page.get_by_label("Name").fill("vera")
        page.get_by_label("Password").fill("not the password")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("alert")).to_contain_text("wrong")
        expect(page.get_by_label("Name")).to_have_value("vera")
        expect(page.get_by_label("Password")).to_have_value("")
