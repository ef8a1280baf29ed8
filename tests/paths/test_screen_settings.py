"""Settings, the account and the end of a session in a real browser, over a stub of the API."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.dashboard.browsing import chromium, faults, reading, settle
from tests.dashboard.looking import NoReader, house_of
from tests.dashboard.people import (
    ADA,
    DAY_NS,
    LIMITED,
    OTTO,
    SENDER,
    VERA,
    FixedChange,
    FixedSettings,
    token,
    user,
)
from tests.dashboard.scenery import NOW_NS
from tests.dashboard.served import Caller, serving
from tests.dashboard.stub_api import CSRF, StubApi
from vocabulary.access import ANONYMOUS, Principal, Role

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


@dataclass(frozen=True)
class World:
    """A running server whose caller can be changed, and the API it is beside."""

    url: str
    caller: Caller
    settings: FixedSettings
    api: StubApi


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture
def world() -> Iterator[World]:
    settings = FixedSettings(
        stored_tokens=[token("gateway-eu", "abcdefghijkl", expires_ns=NOW_NS + 80 * DAY_NS)],
        stored_users=[user("ada", Role.ADMIN), user("otto", Role.AUDITOR), user("vera"), user("lim")],
        events=[FixedChange(NOW_NS - DAY_NS, "alert rules", "3 rules adopted", "reload")],
        problems=["rules.yaml:4: rules[0].metric: there is no metric lod"],
    )
    api = StubApi(settings)
    caller = Caller(ADA, 12 * 3600)
    with serving(house_of(NoReader(), settings=settings), caller, api.router) as url:
        yield World(url, caller, settings, api)


@pytest.fixture
def page(browser: Browser, world: World) -> Iterator[Page]:
    with reading(browser, world.url) as found:
        found.context.add_cookies([{"name": "peakline_csrf", "value": CSRF, "url": world.url}])
        yield found


def opened(page: Page, address: str = "/settings") -> Page:
    page.goto(address)
    settle(page)
    return page


def test_a_token_is_made_shown_once_and_revoked(page: Page, world: World) -> None:
    opened(page)
    page.get_by_text("New token").click()
    form = page.locator("#new-token")
    form.get_by_label("Name").fill("team a")
    form.get_by_label("Role").select_option("viewer")
    form.get_by_label("all tenants").uncheck()
    form.get_by_role("textbox", name="Tenants").fill("a\n  b, with a comma \n\n")
    form.get_by_label("Expires").select_option("date")
    form.get_by_label("Last day").fill("2027-03-01")
    form.get_by_role("button", name="Create token").click()
    shown = page.locator(".message-once")
    expect(shown).to_contain_text(f"pkl_000000000001_{'s' * 43}")
    expect(shown).to_be_focused()
    asked = {"name": "team a", "role": "viewer", "tenants": ["a", "b, with a comma"], "expires": "2027-03-01T23:59:59Z"}
    assert world.api.asked == [("POST", "/api/v1/tokens", asked)]
    assert world.api.csrf == [CSRF]
    row = page.locator("#tokens tbody tr", has_text="team a")
    expect(row).to_contain_text("active")
    expect(shown).to_be_visible()
    page.get_by_role("button", name="I have copied it").click()
    expect(shown).to_have_count(0)
    row.get_by_role("button", name="Revoke: team a").click()
    dialog = page.get_by_role("dialog", name=re.compile("Revoke the token “team a”"))
    dialog.get_by_role("button", name="Revoke").click()
    expect(row).to_contain_text("revoked")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(row.get_by_role("button")).to_have_count(0)
    assert world.api.asked[-1] == ("DELETE", "/api/v1/tokens/000000000001", None)


def test_a_token_text_is_copied_by_one_press_and_gone_with_the_page(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page)
    page.get_by_text("New token").click()
    page.locator("#new-token").get_by_label("Name").fill("x")
    page.keyboard.press("Enter")
    page.locator(".message-once .copy").click()
    expect(page.locator(".copy-done").first).to_have_text("copied")
    assert page.evaluate("navigator.clipboard.readText()") == f"pkl_000000000001_{'s' * 43}"
    opened(page, "/settings")
    expect(page.locator("body")).not_to_contain_text("pkl_")


def test_a_user_is_made_changed_disabled_and_deleted(page: Page, world: World) -> None:
    opened(page)
    page.get_by_text("New user").click()
    form = page.locator("#new-user")
    form.get_by_label("Name").fill("grace")
    form.get_by_label("New password").fill("a long pass phrase")
    form.get_by_label("Repeat it").fill("another")
    form.get_by_role("button", name="Create user").click()
    expect(form.get_by_role("alert")).to_have_text("Both new passwords must be the same.")
    assert not world.api.asked
    form.get_by_label("Repeat it").fill("a long pass phrase")
    form.get_by_role("button", name="Create user").click()
    row = page.locator("#users tbody tr", has_text="grace")
    expect(row).to_contain_text("enabled")
    made = {"name": "grace", "role": "viewer", "tenants": None, "password": "a long pass phrase"}
    assert world.api.asked == [("POST", "/api/v1/users", made)]
    expect(form.get_by_label("New password")).to_have_value("")

    row.get_by_role("button", name="Change rights: grace").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Role").select_option("operator")
    dialog.get_by_role("button", name="Change rights").click()
    expect(row).to_contain_text("operator")
    row.get_by_role("button", name="Disable: grace").click()
    page.get_by_role("dialog").get_by_role("button", name="Disable").click()
    expect(row).to_contain_text("disabled")
    row.get_by_role("button", name="Delete: grace").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(row).to_have_count(0)
    sent = [body for _, path, body in world.api.asked if path == "/api/v1/users/id-grace"]
    assert sent == [{"role": "operator", "tenants": None}, {"is_disabled": True}, None]


def test_a_dialog_is_left_by_escape_and_nothing_was_asked(page: Page, world: World) -> None:
    opened(page)
    button = page.get_by_role("button", name="Delete: vera")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(button).to_be_focused()
    assert not world.api.asked


def test_what_the_api_says_no_to_stands_beside_the_form(browser: Browser, world: World) -> None:
    with reading(browser, world.url, statuses=(400,)) as page:
        opened(page)
        world.api.refuses_with = "The old password is wrong."
        form = page.locator("#own-password")
        form.get_by_label("Old password").fill("old pass phrase")
        form.get_by_label("New password").fill("new pass phrase")
        form.get_by_label("Repeat it").fill("new pass phrase")
        form.get_by_role("button", name="Change password").click()
        expect(form.get_by_role("alert")).to_have_text("The old password is wrong.")
        expect(form.get_by_label("Old password")).to_have_value("old pass phrase")
        form.get_by_role("button", name="Change password").click()
        expect(form.get_by_role("status")).to_have_text("Changed. Log in again with the new one.")
        assert world.api.asked[-1][2] == {"old": "old pass phrase", "new": "new pass phrase"}


def test_an_auditor_reads_and_has_no_button_to_change_anything(page: Page, world: World) -> None:
    world.caller.principal = OTTO
    opened(page)
    expect(page.locator("#tokens")).to_contain_text("gateway-eu")
    expect(page.locator("#users")).to_contain_text("vera")
    expect(page.locator("#body")).to_contain_text("rules.yaml:4")
    expect(page.locator("#body")).to_contain_text("server.port")
    expect(page.locator("#new-token, #new-user, .row-action")).to_have_count(0)


@pytest.mark.parametrize("who", [VERA, LIMITED, SENDER])
def test_everybody_else_sees_themselves_and_a_sentence(page: Page, world: World, who: Principal) -> None:
    world.caller.principal = who
    opened(page)
    expect(page.locator("#account")).to_contain_text(who.name)
    expect(page.locator("#body")).to_contain_text("Session ends2026-12-01 01:00 UTC")
    expect(page.locator("#body")).to_contain_text("shown to auditors and admins")
    expect(page.locator("#body")).not_to_contain_text("gateway-eu")
    entries = page.locator("#menu a.menu-entry")
    expect(entries).to_have_count(2 if who is SENDER else 7)
    expect(page.locator(".top .chip")).to_have_count(1 if who is LIMITED else 0)


def test_with_access_off_the_page_says_how_to_switch_it_on(browser: Browser) -> None:
    off = FixedSettings(access_is_on=False)
    with serving(house_of(NoReader(), settings=off)) as url, reading(browser, url) as page:
        opened(page)
        expect(page.locator(".principal")).to_have_text(ANONYMOUS.name)
        expect(page.locator("#body")).to_contain_text("Access is off")
        expect(page.locator(".copy-block")).to_contain_text("peakline users create NAME --role admin")
        expect(page.locator("#account, form")).to_have_count(0)
        assert faults(page) == []


def test_a_session_that_ended_leads_to_the_log_in_once_and_keeps_the_address(browser: Browser, world: World) -> None:
    with reading(browser, world.url, statuses=(401,)) as page:
        opened(page, "/settings?lang=zh")
        gone: list[str] = []
        page.on("request", lambda request: gone.append(request.url) if "/login" in request.url else None)
        world.caller.principal = None
        page.keyboard.press("g")
        page.keyboard.press("r")
        page.wait_for_url(re.compile("/login"))
        expect(page.locator("h2")).to_have_text("next=/requests?lang=zh")
        assert len(gone) == 1


def test_a_change_after_the_end_of_the_session_leads_to_the_log_in_too(browser: Browser, world: World) -> None:
    with reading(browser, world.url, statuses=(401,)) as page:
        opened(page)
        world.caller.principal = None
        page.get_by_role("button", name="Disable: vera").click()
        page.get_by_role("dialog").get_by_role("button", name="Disable").click()
        page.wait_for_url(re.compile("/login"))
        expect(page.locator("h2")).to_have_text("next=/settings")


def test_a_callback_that_is_refused_says_so_and_the_page_stays(browser: Browser, world: World) -> None:
    with reading(browser, world.url, statuses=(403,)) as page:
        opened(page)
        world.caller.principal = SENDER
        page.keyboard.press("g")
        page.keyboard.press("a")
        refusal = page.locator("#refusals")
        expect(refusal).to_contain_text("gateway has the role ingest, which may not read.")
        expect(page.locator("#body")).to_contain_text("gateway-eu")
        refusal.get_by_role("button", name="Close").click()
        expect(refusal).to_be_empty()


def test_logging_out_is_a_form_that_carries_the_sessions_secret(page: Page, world: World) -> None:
    opened(page)
    page.locator("#account button").first.click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Log out")).to_have_count(0)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Log out").click()
    expect(page.locator("h2")).to_have_text("logged out")
    assert world.api.logged_out_with == [f"csrf={CSRF}"]


def test_callbacks_carry_the_sessions_secret(page: Page) -> None:
    with page.expect_request(lambda request: "_dash-update-component" in request.url) as asked:
        page.goto("/settings")
    assert asked.value.headers["x-csrf-token"] == CSRF
    settle(page)


def test_the_colours_follow_the_choice_and_the_system(browser: Browser, world: World) -> None:
    with reading(browser, world.url, scheme="dark") as page:
        opened(page)
        scheme = page.locator("html")
        expect(scheme).to_have_attribute("data-mantine-color-scheme", "dark")
        page.get_by_label("light", exact=True).check()
        expect(scheme).to_have_attribute("data-mantine-color-scheme", "light")
        page.reload()
        settle(page)
        expect(page.get_by_label("light", exact=True)).to_be_checked()
        page.get_by_label("as the system is").check()
        expect(scheme).to_have_attribute("data-mantine-color-scheme", "dark")
        page.locator("#scheme").click()
        expect(page.get_by_label("light", exact=True)).to_be_checked()


def test_a_browser_that_prefers_chinese_gets_chinese_at_the_first_visit(browser: Browser, world: World) -> None:
    with reading(browser, world.url, locale="zh-CN") as page:
        opened(page)
        expect(page.get_by_role("heading", level=1)).to_have_text("设置")
        page.get_by_role("link", name="English").first.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Settings")
        opened(page, "/settings")
        expect(page.get_by_role("heading", level=1)).to_have_text("Settings")


def test_five_hundred_tokens_stay_usable(page: Page, world: World) -> None:
    world.settings.stored_tokens[:] = [token(f"token-{place:03d}", f"{place:012d}") for place in range(500)]
    opened(page)
    expect(page.locator("#tokens tbody tr")).to_have_count(500)
    page.locator(".filtered", has=page.locator("#tokens")).get_by_label("Find").fill("token-042")
    expect(page.locator("#tokens tbody tr")).to_have_count(1)
    page.get_by_role("button", name="Revoke: token-042").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(page.locator("#tokens tbody tr")).to_contain_text("revoked")
    box = page.locator("#tokens").bounding_box()
    assert box is not None
    assert box["height"] < 500


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("who", [ADA, LIMITED])
def test_the_page_has_no_accessibility_fault(browser: Browser, world: World, scheme: str, who: Principal) -> None:
    world.caller.principal = who
    with reading(browser, world.url, scheme=scheme) as page:
        opened(page)
        page.locator("#account button").click()
        if who is ADA:
            page.get_by_text("New token").click()
            page.locator("#new-token").get_by_label("all tenants").uncheck()
            page.locator("#new-token").get_by_label("Name").fill("x")
            page.locator("#new-token").get_by_role("button", name="Create token").click()
            expect(page.locator(".message-once")).to_be_visible()
        page.wait_for_timeout(300)
        assert faults(page) == []
        if who is ADA:
            page.get_by_role("button", name="Change rights: vera").click()
            assert faults(page) == []
