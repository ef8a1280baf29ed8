"""Log-in through a provider as a browser does it: against a real one, and every way to misuse the way back."""

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import pytest

from access.web.access_rules import RULES as OWN
from access.web.layer import AccessLayer
from access.web.oidc_settings import OidcSettings
from access.web.routes import ProviderParts, in_front_of, routes
from access.web.settings import WebSettings
from collector.answers import refused
from tests.access.web.asking import RULES, Answer, Behind, MemoryGate, ask, cookies
from tests.factories.identity_provider import CLIENT_ID, consent, deny, real_provider
from vocabulary.access import Role

PUBLIC = "http://127.0.0.1:8600"
SECRET = "client-s3cret"
USERS = {
    "u-ada": {"preferred_username": "ada", "groups": ["sre", "staff"], "teams": ["team-a"]},
    "u-bob": {"preferred_username": "bob", "groups": ["staff"]},
}


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    with real_provider(USERS) as found:
        yield found


@dataclass
class Browser:
    """Keeps the cookie of a log-in under way."""

    app: AccessLayer
    ticket: str = ""

    def start(self, where: str = "/tiers", host: str = "127.0.0.1:8600") -> str:
        answer = ask(self.app, path=f"/login/oidc?next={where}", headers=[("host", host)])
        assert answer.status == 303
        self.ticket = answer.cookies()["peakline_oidc"].partition(";")[0]
        return answer.header("location")

    def come_back(self, address: str, session: str = "") -> Answer:
        assert address.startswith(f"{PUBLIC}/login/oidc/callback?")
        parts = urlsplit(address)
        kept = cookies(peakline_oidc=self.ticket, peakline_session=session)
        foreign = ("sec-fetch-site", "cross-site")  # as browsers say when a provider sends them
        return ask(self.app, path=f"{parts.path}?{parts.query}", headers=[kept, foreign], client="203.0.113.9")


def _browser(gate: MemoryGate, issuer: str) -> Browser:
    web = WebSettings(is_on=True, public_url=PUBLIC)
    oidc = OidcSettings(issuer, CLIENT_ID, SECRET, label="Example", roles={"sre": Role.OPERATOR}, tenant_claim="teams")
    own = routes(gate, web, ProviderParts(oidc, b"k" * 32, time.time_ns))
    return Browser(AccessLayer(in_front_of(Behind(), own), gate, [*RULES, *OWN], web, refused))


@pytest.fixture
def browser(gate: MemoryGate, issuer: str) -> Browser:
    return _browser(gate, issuer)


def test_somebody_with_a_role_comes_in_and_goes_where_they_wanted(
    browser: Browser, gate: MemoryGate, issuer: str
) -> None:
    answer = browser.come_back(consent(browser.start(), "u-ada"), session="old-session")
    assert (answer.status, answer.header("location")) == (303, "/tiers")
    assert answer.cookies()["peakline_session"].startswith("session-0; HttpOnly")
    assert "Max-Age=0" in answer.cookies()["peakline_oidc"]
    found = gate.identities[0]
    assert (found.issuer, found.subject, found.name) == (issuer, "u-ada", "ada")
    assert (found.role, found.tenants) == (Role.OPERATOR, frozenset({"team-a"}))
    assert gate.asked[-1] == ("log_in_external", "u-ada", "203.0.113.9", "old-session")


def test_somebody_without_a_role_stays_outside(browser: Browser, gate: MemoryGate) -> None:
    answer = browser.come_back(consent(browser.start(), "u-bob"))
    assert answer.header("location") == "/login?next=%2Ftiers&reason=provider_refused"
    assert gate.identities[0].role is None
    assert gate.sessions == {}


def test_somebody_who_says_no_is_told_so(browser: Browser, gate: MemoryGate) -> None:
    back = deny(browser.start())
    if "state=" not in back:  # this provider forgets it when it says no
        back += "&state=" + parse_qs(urlsplit(browser.start()).query)["state"][0]
    assert browser.come_back(back).header("location") == "/login?next=%2Ftiers&reason=provider_denied"
    assert gate.identities == []


def test_a_code_works_once(browser: Browser, gate: MemoryGate) -> None:
    back = consent(browser.start(), "u-ada")
    browser.come_back(back)
    assert browser.come_back(back).header("location").endswith("reason=provider_stale")
    assert len(gate.sessions) == 1


@pytest.mark.parametrize("change", ["other_state", "no_state", "two_states", "no_cookie", "other_cookie", "no_code"])
def test_an_answer_that_this_browser_did_not_ask_for_logs_nobody_in(
    browser: Browser, gate: MemoryGate, change: str
) -> None:
    back = consent(browser.start(), "u-ada")
    state = parse_qs(urlsplit(back).query)["state"][0]
    code = parse_qs(urlsplit(back).query)["code"][0]
    match change:
        case "other_state":
            back = back.replace(state, "x" * len(state))
        case "no_state":
            back = f"{PUBLIC}/login/oidc/callback?code={code}"
        case "two_states":
            back += f"&state={state}"
        case "no_cookie":
            browser.ticket = ""
        case "other_cookie":  # somebody lures this browser to the end of their own log-in
            browser.start()
        case "no_code":
            back = f"{PUBLIC}/login/oidc/callback?state={state}"
    answer = browser.come_back(back)
    assert answer.status == 303
    assert answer.header("location").startswith("/login?")
    assert "peakline_session" not in answer.cookies()
    assert gate.identities == []


def test_an_answer_in_the_name_of_another_issuer_is_not_believed(browser: Browser, gate: MemoryGate) -> None:
    back = consent(browser.start(), "u-ada") + "&iss=https%3A%2F%2Fevil.example"
    assert browser.come_back(back).header("location").endswith("reason=provider_failed")
    assert gate.identities == []


@pytest.mark.parametrize("evil", ["//evil.example", "https://evil.example", "/%5Cevil.example"])
def test_the_way_back_never_leads_to_another_site(browser: Browser, evil: str) -> None:
    assert browser.come_back(consent(browser.start(evil), "u-ada")).header("location") == "/"


def test_the_provider_is_told_the_configured_address_whatever_the_host_header_says(browser: Browser) -> None:
    address = browser.start(host="evil.example")
    assert parse_qs(urlsplit(address).query)["redirect_uri"] == [f"{PUBLIC}/login/oidc/callback"]


def test_the_page_offers_the_provider(browser: Browser) -> None:
    page = ask(browser.app, path="/login?next=/tiers")
    assert '<a class="button" href="/login/oidc?next=%2Ftiers">Continue with Example</a>' in page.text


def test_a_provider_that_is_away_is_a_sentence_on_the_page_and_a_line_in_the_log(
    gate: MemoryGate, caplog: pytest.LogCaptureFixture
) -> None:
    browser = _browser(gate, "http://127.0.0.1:1")
    with caplog.at_level(logging.WARNING):
        answer = ask(browser.app, path="/login/oidc?next=/tiers")
    assert answer.header("location") == "/login?next=%2Ftiers&reason=provider_failed"
    assert "log-in through http://127.0.0.1:1 failed" in caplog.text
    assert SECRET not in caplog.text


def test_what_goes_wrong_is_logged_without_secrets(browser: Browser, caplog: pytest.LogCaptureFixture) -> None:
    back = consent(browser.start(), "u-ada")
    browser.come_back(back)
    caplog.clear()
    with caplog.at_level(logging.WARNING, "access"):
        browser.come_back(back)
        browser.come_back(back.replace("state=", "state=x"))
    code = parse_qs(urlsplit(back).query)["code"][0]
    lines = [record.getMessage() for record in caplog.records if record.name.startswith("access")]
    assert len(lines) == 2
    assert not [line for line in lines for secret in (SECRET, code, browser.ticket) if secret in line]


def test_while_the_store_is_away_nobody_is_let_in(browser: Browser, gate: MemoryGate) -> None:
    back = consent(browser.start(), "u-ada")
    gate.is_down = True
    assert browser.come_back(back).status == 503
    gate.is_down, gate.sessions = False, {}
    assert gate.identities == []
