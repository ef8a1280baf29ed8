"""Log-in and log-out as browsers do them, behind the layer."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from access.web.access_rules import RULES as OWN
from access.web.layer import AccessLayer
from access.web.routes import in_front_of, routes
from access.web.settings import WebSettings
from collector.answers import refused
from tests.access.web.asking import FORM, RULES, Answer, Behind, MemoryGate, Pairs, ask, cookies, form_body
from tests.dashboard.browsing import chromium, faults, reading
from tests.factories.serving import served
from vocabulary.access import Role


def _door(gate: MemoryGate | None, **settings: Any) -> AccessLayer:
    told = WebSettings(is_on=gate is not None, **settings)
    return AccessLayer(in_front_of(Behind(), routes(gate, told)), gate, [*RULES, *OWN], told, refused)


def _field(page: Answer, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page.text)
    assert found is not None
    return found[1]


def _submit(app: AccessLayer, headers: Pairs = (), form_cookie: str = "peakline_login", **fields: str) -> Answer:
    """Open the page and send its form, with `fields` in place of what it says."""
    page = ask(app, path=f"/login?next={fields.pop('at', '/requests')}", headers=headers)
    csrf = _field(page, "csrf")
    assert page.cookies()[form_cookie].startswith(csrf)
    said = {"csrf": csrf, "next": _field(page, "next"), "name": "ada", "password": "correct horse", **fields}
    known = next((value for name, value in headers if name == "cookie"), "")
    cookie = ("cookie", f"{form_cookie}={csrf}; {known}")
    others = [pair for pair in headers if pair[0] != "cookie"]
    return ask(app, "POST", "/login", [FORM, cookie, *others], form_body(said), client="203.0.113.9")


def test_the_right_password_opens_a_session_and_leads_where_somebody_wanted_to_go(gate: MemoryGate) -> None:
    app = _door(gate)
    answer = _submit(app, at="%2Frequests%3Ffrom%3D-1h")
    assert (answer.status, answer.header("location")) == (303, "/requests?from=-1h")
    set_now = answer.cookies()
    assert set_now["peakline_session"] == "session-0; HttpOnly; Max-Age=3600; Path=/; SameSite=lax"
    assert set_now["peakline_csrf"] == "csrf-0; Max-Age=3600; Path=/; SameSite=lax"
    assert "Max-Age=0" in set_now["peakline_login"]
    assert gate.asked == [("log_in", "ada", "203.0.113.9", "")]
    assert ask(app, path="/api/v1/me", headers=[cookies(peakline_session="session-0")]).status == 200


def test_with_https_every_cookie_that_matters_is_bound_to_the_host(gate: MemoryGate) -> None:
    answer = _submit(_door(gate, public_url="https://peakline.example"), form_cookie="__Host-peakline_login")
    assert set(answer.cookies()) == {"__Host-peakline_session", "peakline_csrf", "__Host-peakline_login"}
    assert all("Secure" in value for value in answer.cookies().values())


def test_the_session_that_a_browser_brought_is_handed_over_to_be_ended(gate: MemoryGate) -> None:
    app = _door(gate)
    fixed = cookies(peakline_session="planted-by-somebody")
    answer = _submit(app, [fixed])
    assert gate.asked[-1] == ("log_in", "ada", "203.0.113.9", "planted-by-somebody")
    assert answer.cookies()["peakline_session"].startswith("session-0;")


def test_a_wrong_password_is_told_without_saying_what_is_wrong(gate: MemoryGate) -> None:
    app = _door(gate)
    answers = [_submit(app, name="bob"), _submit(app, password="x"), _submit(app, name=""), _submit(app, password="")]
    assert {(answer.status, "Name or password is wrong." in answer.text) for answer in answers} == {(403, True)}
    assert 'role="alert"' in answers[0].text
    assert 'value="bob"' in answers[0].text
    assert not [answer for answer in answers if "peakline_session" in answer.cookies()]
    assert "correct horse" not in answers[0].text


def test_an_overlong_password_is_wrong_and_not_hashed(gate: MemoryGate) -> None:
    assert _submit(_door(gate), password="x" * 1025).status == 403
    assert gate.asked == []


def test_too_many_attempts_are_told_with_seconds(gate: MemoryGate) -> None:
    gate.refuse_s = 42
    answer = _submit(_door(gate))
    assert (answer.status, answer.header("retry-after")) == (429, "42")
    assert "Try again in 42 s." in answer.text


def test_while_the_store_is_away_the_form_stays_and_says_so(gate: MemoryGate) -> None:
    gate.is_down = True
    answer = _submit(_door(gate))
    assert (answer.status, answer.header("retry-after")) == (503, "5")
    assert "cannot be asked" in answer.text


# ---- logging somebody in as somebody else


@pytest.mark.parametrize("csrf", ["", "guessed"])
def test_a_form_that_is_not_from_our_page_logs_nobody_in(gate: MemoryGate, csrf: str) -> None:
    answer = _submit(_door(gate), csrf=csrf)
    assert answer.status == 403
    assert "The page was too old" in answer.text
    assert gate.asked == []


def test_a_form_without_the_browsers_own_cookie_logs_nobody_in(gate: MemoryGate) -> None:
    body = form_body({"csrf": "", "name": "ada", "password": "correct horse"})
    assert ask(_door(gate), "POST", "/login", [FORM], body).status == 403
    twice = ("cookie", "peakline_login=a; peakline_login=b")
    body = form_body({"csrf": "a", "name": "ada", "password": "correct horse"})
    assert ask(_door(gate), "POST", "/login", [FORM, twice], body).status == 403
    assert gate.asked == []


@pytest.mark.parametrize("foreign", [("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")])
def test_a_page_elsewhere_cannot_log_anybody_in(gate: MemoryGate, foreign: tuple[str, str]) -> None:
    assert _submit(_door(gate), [foreign]).status == 403
    assert gate.asked == []


def test_a_body_that_is_no_form_is_told_so(gate: MemoryGate) -> None:
    assert ask(_door(gate), "POST", "/login", [("content-type", "application/json")], b"{}").status == 400


# ---- where it leads


@pytest.mark.parametrize("evil", ["//evil.example", "/\\evil.example", "https:evil.example", "/%2f/evil.example"])
def test_log_in_never_leads_to_another_site(gate: MemoryGate, evil: str) -> None:
    app = _door(gate)
    assert _submit(app, next=evil).header("location") == "/"
    assert _submit(app, at=evil).header("location") == "/"
    session = cookies(peakline_session=gate.open(Role.VIEWER).cookie)
    assert ask(app, path=f"/login?next={evil}", headers=[session]).header("location") == "/"


def test_whoever_is_logged_in_already_goes_on(gate: MemoryGate) -> None:
    session = cookies(peakline_session=gate.open(Role.VIEWER).cookie)
    answer = ask(_door(gate), path="/login?next=/tiers", headers=[session])
    assert (answer.status, answer.header("location")) == (303, "/tiers")


# ---- the page


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("ended", "Your session has ended"),
        ("signed_out", "You are logged out"),
        ("provider_failed", "could not be asked"),
        ("provider_denied", "did not let you in"),
        ("provider_stale", "took too long"),
        ("provider_refused", "you have no role"),
    ],
)
def test_the_page_says_why_somebody_is_here(gate: MemoryGate, reason: str, text: str) -> None:
    assert text in ask(_door(gate), path=f"/login?reason={reason}").text


@pytest.mark.parametrize("reason", ["title", "<script>", "wrong"])
def test_nobody_can_put_words_of_their_own_on_the_page(gate: MemoryGate, reason: str) -> None:
    assert 'class="notice' not in ask(_door(gate), path=f"/login?reason={reason}").text


def test_a_chosen_language_is_remembered(gate: MemoryGate) -> None:
    answer = ask(_door(gate), path="/login?lang=zh")
    assert "<h1>登录</h1>" in answer.text
    assert answer.cookies()["peakline_lang"].startswith("zh;")
    assert "peakline_lang" not in ask(_door(gate), path="/login?lang=xx").cookies()


def test_while_access_is_off_no_log_in_is_needed(behind: Behind) -> None:
    app = _door(None)
    page = ask(app, path="/login")
    assert "No log-in is needed" in page.text
    for path in ("/login", "/logout"):
        assert ask(app, "POST", path, [FORM]).header("location") == "/"


# ---- out


def test_log_out_ends_the_session_here_and_in_the_browser(gate: MemoryGate) -> None:
    app, opened = _door(gate), gate.open(Role.VIEWER)
    session = cookies(peakline_session=opened.cookie)
    answer = ask(app, "POST", "/logout", [session, FORM], form_body({"csrf": opened.csrf}))
    assert (answer.status, answer.header("location")) == (303, "/login?next=%2F&reason=signed_out")
    assert gate.sessions == {}
    assert {name for name, value in answer.cookies().items() if "Max-Age=0" in value} == {
        "peakline_session",
        "peakline_csrf",
    }
    assert ask(app, path="/api/v1/me", headers=[session]).status == 401


def test_a_page_elsewhere_cannot_log_anybody_out(gate: MemoryGate) -> None:
    session = cookies(peakline_session=gate.open(Role.VIEWER).cookie)
    assert ask(_door(gate), "POST", "/logout", [session, FORM], form_body({"csrf": "x"})).status == 403
    assert ask(_door(gate), "GET", "/logout", [session]).status == 405
    assert len(gate.sessions) == 1


class _LastBreath(MemoryGate):
    """Knows sessions, but cannot end one."""

    def log_out(self, cookie: str) -> None:
        self.is_down = True
        super().log_out(cookie)


def test_nobody_is_told_that_they_are_out_while_they_are_not() -> None:
    gate = _LastBreath()
    opened = gate.open(Role.VIEWER)
    headers = [cookies(peakline_session=opened.cookie), ("x-csrf-token", opened.csrf)]
    assert ask(_door(gate), "POST", "/logout", headers).status == 503


@pytest.mark.browser
@pytest.mark.parametrize(("scheme", "locale", "wrong"), [("light", "en-GB", "is wrong"), ("dark", "zh-CN", "密码错误")])
def test_people_log_in_and_nothing_is_in_their_way(gate: MemoryGate, scheme: str, locale: str, wrong: str) -> None:
    with (
        served(_door(gate)) as url,
        chromium() as browser,
        reading(browser, url, scheme=scheme, locale=locale, statuses=(403,)) as page,
    ):
        page.goto("/tiers?from=-1h")
        assert faults(page) == []
        page.keyboard.type("ada")  # the field has the focus
        page.locator("input[name=password]").fill("x")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text(wrong)
        assert faults(page) == []
        page.keyboard.type("correct horse")
        page.keyboard.press("Enter")
        page.wait_for_url(f"{url}/tiers?from=-1h")
        assert "operator-name" in page.content()
