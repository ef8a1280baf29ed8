"""Who gets in, and every way around it that was thought of."""

from ipaddress import ip_network
from typing import Any

import pytest

from access.web.admission import Admission
from access.web.rulebook import RuleBook
from access.web.settings import WebSettings
from tests.access.web.asking import (
    FORM,
    RULES,
    Behind,
    MemoryGate,
    Pairs,
    ask,
    bearer,
    cookies,
    form_body,
    layer,
)
from vocabulary.access import ANONYMOUS, Role


def _session(gate: MemoryGate, role: Role = Role.ADMIN) -> tuple[tuple[str, str], str]:
    opened = gate.open(role)
    return cookies(peakline_session=opened.cookie), opened.csrf


def test_access_is_on_exactly_when_there_is_a_gate(gate: MemoryGate) -> None:
    with pytest.raises(ValueError, match="gate"):
        Admission(None, RuleBook(RULES), WebSettings(is_on=True))
    with pytest.raises(ValueError, match="gate"):
        Admission(gate, RuleBook(RULES), WebSettings(is_on=False))


# ---- credentials


@pytest.mark.parametrize(
    ("token", "path", "status"),
    [
        ("pkl_viewer", "/api/v1/me", 200),
        ("pkl_ingest", "/api/v1/me", 200),
        ("pkl_viewer", "/api/v1/tokens", 403),
        ("pkl_admin", "/api/v1/tokens", 200),
        ("pkl_viewer", "/api/v1/alerts", 200),
        ("pkl_limited", "/api/v1/alerts", 403),
        ("pkl_ingest", "/requests", 403),
    ],
)
def test_a_token_gets_as_far_as_its_role_and_tenants(
    gate: MemoryGate, behind: Behind, token: str, path: str, status: int
) -> None:
    assert ask(layer(gate, behind), path=path, headers=[bearer(token)]).status == status
    assert bool(behind.reached) is (status == 200)


def test_the_application_is_told_who_came(gate: MemoryGate, behind: Behind) -> None:
    session, csrf = _session(gate, Role.VIEWER)
    assert ask(layer(gate, behind), path="/api/v1/me", headers=[session]).json() == {"who": "viewer-name"}
    state = behind.reached[0]["state"]
    assert (state["principal"].role, state["session"].csrf) == (Role.VIEWER, csrf)


def test_nobody_can_bring_their_own_principal(gate: MemoryGate, behind: Behind) -> None:
    state = {"principal": ANONYMOUS, "session": None}
    assert ask(layer(gate, behind), path="/api/v1/me", state=state).status == 401
    assert ask(layer(gate, behind), path="/healthz", state=state).json() == {"who": None}


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [bearer("pkl_nobody")],
        [bearer("")],
        [bearer("pkl_viewer"), bearer("pkl_viewer")],
        [bearer("pkl_viewer"), bearer("pkl_nobody")],
        [bearer("x" * 201)],
        [("authorization", "pkl_viewer")],
        [("authorization", "Basic cGtsX3ZpZXdlcjo=")],
        [("authorization", "Bearer pkl_viewer, Bearer pkl_viewer")],
        [cookies(peakline_session="unknown")],
        [cookies(**{"__Host-peakline_session": "unknown"})],
    ],
)
def test_no_or_bad_credentials_do_not_get_in(gate: MemoryGate, behind: Behind, headers: Pairs) -> None:
    assert ask(layer(gate, behind), path="/api/v1/me", headers=headers).status == 401
    assert not behind.reached


@pytest.mark.parametrize("bad", [bearer("pkl_nobody"), ("authorization", "Basic x"), bearer("x" * 5000)])
def test_a_bad_token_does_not_fall_back_to_a_good_session(
    gate: MemoryGate, behind: Behind, bad: tuple[str, str]
) -> None:
    session, _ = _session(gate)
    assert ask(layer(gate, behind), path="/api/v1/me", headers=[session, bad]).status == 401


def test_a_bad_token_is_told_from_none(gate: MemoryGate, behind: Behind) -> None:
    app = layer(gate, behind)
    assert "unknown, expired or revoked" in ask(app, path="/api/v1/me", headers=[bearer("pkl_x")]).json()["detail"]
    assert "needs a log-in" in ask(app, path="/api/v1/me").json()["detail"]
    assert "has ended" in ask(app, path="/api/v1/me", headers=[cookies(peakline_session="x")]).json()["detail"]


def test_an_overlong_token_is_not_even_looked_up(gate: MemoryGate, behind: Behind) -> None:
    ask(layer(gate, behind), path="/api/v1/me", headers=[bearer("x" * 201)])
    ask(layer(gate, behind), path="/api/v1/me", headers=[cookies(peakline_session="x" * 5000)])
    assert gate.asked == []


def test_two_different_session_cookies_are_none(gate: MemoryGate, behind: Behind) -> None:
    mine, theirs = gate.open(Role.ADMIN).cookie, gate.open(Role.VIEWER).cookie
    both = ("cookie", f"peakline_session={theirs}; peakline_session={mine}")
    assert ask(layer(gate, behind), path="/api/v1/me", headers=[both]).status == 401


def test_with_https_a_cookie_that_is_not_bound_to_the_host_is_no_session(gate: MemoryGate, behind: Behind) -> None:
    cookie = gate.open(Role.ADMIN).cookie
    app = layer(gate, behind, is_tls=True)
    assert ask(app, path="/api/v1/me", headers=[cookies(peakline_session=cookie)]).status == 401
    bound = cookies(**{"__Host-peakline_session": cookie})
    assert ask(app, path="/api/v1/me", headers=[bound]).status == 200


@pytest.mark.parametrize("headers", [[("x", "y" * 65_536)], [("x", "y")] * 201, [("host", "a"), ("host", "b")]])
def test_too_many_or_too_large_headers_and_two_hosts_are_refused_before_anything_else(
    gate: MemoryGate, behind: Behind, headers: Pairs
) -> None:
    answer = ask(layer(gate, behind), path="/api/v1/me", headers=[bearer("pkl_admin"), *headers])
    assert answer.status == 400
    assert gate.asked == []


def test_while_the_store_is_away_nobody_gets_in_but_public_answers_stay(gate: MemoryGate, behind: Behind) -> None:
    session, _ = _session(gate)
    gate.is_down = True
    for headers in ([bearer("pkl_admin")], [session]):
        answer = ask(layer(gate, behind), path="/api/v1/me", headers=headers)
        assert (answer.status, answer.header("retry-after")) == (503, "5")
    assert not behind.reached
    assert ask(layer(gate, behind), path="/healthz", headers=[session]).json() == {"who": None}


def test_public_paths_need_nobody_and_know_whoever_comes(gate: MemoryGate, behind: Behind) -> None:
    app = layer(gate, behind)
    assert ask(app, path="/healthz").json() == {"who": None}
    assert ask(app, path="/healthz", headers=[bearer("pkl_nobody")]).json() == {"who": None}
    assert ask(app, path="/healthz", headers=[bearer("pkl_viewer")]).json() == {"who": "viewer-name"}


# ---- rules


def test_what_has_no_rule_is_refused_to_everybody(gate: MemoryGate, behind: Behind) -> None:
    for headers, status in (([], 401), ([bearer("pkl_admin")], 403)):
        assert ask(layer(gate, behind), "PUT", "/api/v1/me", headers).status == status
    assert ask(layer(None, behind), "PUT", "/api/v1/me").status == 403
    assert not behind.reached


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/v1/traces/", 200),  # a 404 document, for somebody
        ("//v1/traces", 403),  # a page
        ("/v1/traces/../../api/v1/tokens", 200),  # the router does not walk upwards either
        ("/api/v1/tokens", 403),
        ("/api/v1/tokens/", 403),
        ("/api/v1/tokens\n", 403),
        ("/API/v1/tokens", 403),
        ("/api/v1/tokens;x", 403),
    ],
)
def test_the_rule_is_that_of_the_path_that_the_router_sees(
    gate: MemoryGate, behind: Behind, path: str, status: int
) -> None:
    rules_without_catch_all = tuple(rule for rule in RULES if rule.path != "/api/{path:path}")
    app = layer(gate, behind)
    app._admission = Admission(gate, RuleBook(rules_without_catch_all), WebSettings(is_on=True))
    assert ask(app, path=path, headers=[bearer("pkl_ingest")]).status == status


@pytest.mark.parametrize("header", ["x-http-method-override", "x-http-method", "x-method-override", "x-original-url"])
def test_headers_cannot_change_what_is_asked(gate: MemoryGate, behind: Behind, header: str) -> None:
    value = "/api/v1/tokens" if header == "x-original-url" else "GET"
    answer = ask(layer(gate, behind), "POST", "/api/v1/tokens", [bearer("pkl_viewer"), (header, value)])
    assert answer.status == 403


# ---- requests that somebody else's page sent


@pytest.mark.parametrize("sent", ["", "wrong", "csrf-1"])
def test_a_change_with_a_session_needs_the_csrf_of_that_session(gate: MemoryGate, behind: Behind, sent: str) -> None:
    session, csrf = _session(gate)
    other = _session(gate)[1]
    assert other == "csrf-1"
    app = layer(gate, behind)
    assert ask(app, "POST", "/api/v1/tokens", [session, ("x-csrf-token", sent)]).status == 403
    assert not behind.reached
    assert ask(app, "POST", "/api/v1/tokens", [session, ("x-csrf-token", csrf)]).status == 200


def test_the_csrf_cookie_alone_is_not_enough(gate: MemoryGate, behind: Behind) -> None:
    opened = gate.open(Role.ADMIN)
    both = cookies(peakline_session=opened.cookie, peakline_csrf=opened.csrf)
    assert ask(layer(gate, behind), "POST", "/api/v1/tokens", [both]).status == 403


def test_two_csrf_headers_are_none(gate: MemoryGate, behind: Behind) -> None:
    session, csrf = _session(gate)
    headers = [session, ("x-csrf-token", csrf), ("x-csrf-token", csrf)]
    assert ask(layer(gate, behind), "POST", "/api/v1/tokens", headers).status == 403


def test_a_csrf_that_is_no_ascii_is_wrong_and_no_crash(gate: MemoryGate, behind: Behind) -> None:
    session, _ = _session(gate)
    assert ask(layer(gate, behind), "POST", "/api/v1/tokens", [session, ("x-csrf-token", "é")]).status == 403


def test_a_form_may_carry_it_as_a_field_and_reaches_the_application_whole(gate: MemoryGate, behind: Behind) -> None:
    session, csrf = _session(gate)
    body = form_body({"csrf": csrf, "x": "1"})
    assert ask(layer(gate, behind), "POST", "/api/v1/tokens", [session, FORM], body).status == 200
    assert behind.bodies == [body]


@pytest.mark.parametrize("body", [b"x=1", b"csrf=csrf-0&csrf=csrf-0", b"csrf=csrf-0&a=" + b"x" * 20_000, b"csrf=%ff"])
def test_a_form_without_it_is_refused(gate: MemoryGate, behind: Behind, body: bytes) -> None:
    session, csrf = _session(gate)
    assert csrf == "csrf-0"
    assert ask(layer(gate, behind), "POST", "/api/v1/tokens", [session, FORM], body).status == 403
    assert not behind.reached


def test_a_field_counts_in_forms_only(gate: MemoryGate, behind: Behind) -> None:
    session, csrf = _session(gate)
    text = ("content-type", "text/plain")
    assert ask(layer(gate, behind), "POST", "/api/v1/tokens", [session, text], form_body({"csrf": csrf})).status == 403


def test_public_changes_with_a_session_need_it_too(gate: MemoryGate, behind: Behind) -> None:
    session, csrf = _session(gate)
    assert ask(layer(gate, behind), "POST", "/hook", [session]).status == 403
    assert ask(layer(gate, behind), "POST", "/hook", [session, ("x-csrf-token", csrf)]).status == 200
    assert ask(layer(gate, behind), "POST", "/hook").status == 200


def test_looking_needs_no_csrf(gate: MemoryGate, behind: Behind) -> None:
    session, _ = _session(gate)
    for method in ("GET", "HEAD"):
        assert ask(layer(gate, behind), method, "/api/v1/tokens", [session]).status == 200


FOREIGN = [("origin", "https://evil.example"), ("origin", "null"), ("sec-fetch-site", "cross-site")]


@pytest.mark.parametrize("foreign", FOREIGN)
def test_a_page_elsewhere_cannot_use_a_session_even_with_its_csrf(
    gate: MemoryGate, behind: Behind, foreign: tuple[str, str]
) -> None:
    session, csrf = _session(gate)
    headers = [session, ("x-csrf-token", csrf), foreign]
    assert ask(layer(gate, behind), "POST", "/api/v1/tokens", headers).status == 403


@pytest.mark.parametrize("foreign", FOREIGN)
def test_a_token_may_come_from_anywhere_because_no_browser_adds_it(
    gate: MemoryGate, behind: Behind, foreign: tuple[str, str]
) -> None:
    assert ask(layer(gate, behind), "POST", "/v1/traces", [bearer("pkl_ingest"), foreign]).status == 200


@pytest.mark.parametrize("foreign", FOREIGN)
@pytest.mark.parametrize("extra", [[], [bearer("pkl_admin")]])
def test_while_access_is_off_a_page_elsewhere_cannot_change_anything(
    behind: Behind, foreign: tuple[str, str], extra: Pairs
) -> None:
    app = layer(None, behind)
    assert ask(app, "POST", "/v1/traces", [foreign, *extra]).status == 403
    assert ask(app, "WEBSOCKET", "/live", [foreign, *extra]).status == 4403
    assert not behind.reached


# ---- websockets


def test_a_websocket_without_a_session_does_not_open(gate: MemoryGate, behind: Behind) -> None:
    app = layer(gate, behind)
    assert ask(app, "WEBSOCKET", "/live").status == 4401
    assert ask(app, "WEBSOCKET", "/live", [cookies(peakline_session="unknown")]).status == 4401
    assert ask(app, "WEBSOCKET", "/live", [bearer("pkl_ingest")]).status == 4403
    assert ask(app, "WEBSOCKET", "/other", [bearer("pkl_admin")]).status == 4403
    gate.is_down = True
    assert ask(app, "WEBSOCKET", "/live", [bearer("pkl_admin")]).status == 1013
    assert not behind.reached


@pytest.mark.parametrize("foreign", FOREIGN)
def test_a_page_elsewhere_cannot_open_a_websocket_with_a_session(
    gate: MemoryGate, behind: Behind, foreign: tuple[str, str]
) -> None:
    session, _ = _session(gate)
    assert ask(layer(gate, behind), "WEBSOCKET", "/live", [session, foreign]).status == 4403
    own = ("origin", "http://127.0.0.1:8600")
    assert ask(layer(gate, behind), "WEBSOCKET", "/live", [session, own], scheme="ws").status == 101


# ---- where it comes from


@pytest.mark.parametrize("kind", ["GET", "WEBSOCKET"])
@pytest.mark.parametrize(
    ("client", "host"), [("127.0.0.1", "127.0.0.1:8600"), ("::1", "[::1]:8600"), ("127.0.0.1", "localhost")]
)
def test_while_access_is_off_this_machine_is_anonymous(behind: Behind, client: str, host: str, kind: str) -> None:
    answer = ask(layer(None, behind), kind, "/live", [("host", host)], client=client)
    assert answer.status in {200, 101}
    assert behind.reached[0]["state"]["principal"] is ANONYMOUS


@pytest.mark.parametrize(
    ("client", "headers"),
    [
        ("10.0.0.7", []),
        ("127.0.0.1", [("host", "evil.example:8600")]),
        ("127.0.0.1", [("host", "8.8.8.8")]),
        ("127.0.0.1", [("x-forwarded-for", "127.0.0.1")]),
        ("127.0.0.1", [("x-forwarded-for", "")]),
        ("127.0.0.1", [("forwarded", "for=127.0.0.1")]),
        ("127.0.0.1", [("x-real-ip", "127.0.0.1")]),
        ("127.0.0.1", [("x-forwarded-host", "localhost")]),
        ("203.0.113.5", [("x-forwarded-for", "127.0.0.1")]),
        ("203.0.113.5", [("x-real-ip", "127.0.0.1"), ("host", "127.0.0.1")]),
    ],
)
def test_while_access_is_off_nobody_else_is_answered(behind: Behind, client: str, headers: Pairs) -> None:
    app = layer(None, behind, trusted_proxies=(ip_network("127.0.0.0/8"), ip_network("203.0.113.0/24")))
    assert ask(app, path="/api/v1/me", headers=headers, client=client).status == 403
    assert ask(app, "WEBSOCKET", "/live", headers, client=client).status == 4403
    assert not behind.reached


def _seen_client(gate: MemoryGate, behind: Behind, peer: str, **settings: Any) -> str:
    headers = [bearer("pkl_viewer"), ("x-forwarded-for", "127.0.0.1")]
    ask(layer(gate, behind, **settings), path="/api/v1/me", headers=headers, client=peer)
    return str(behind.reached[-1]["client"][0])


def test_a_public_peer_cannot_pretend_to_be_another(gate: MemoryGate, behind: Behind) -> None:
    trusted = (ip_network("10.0.0.0/8"),)
    assert _seen_client(gate, behind, "203.0.113.5") == "203.0.113.5"
    assert _seen_client(gate, behind, "203.0.113.5", trusted_proxies=trusted) == "203.0.113.5"
    assert _seen_client(gate, behind, "10.0.0.1", trusted_proxies=trusted) == "127.0.0.1"


def test_only_listed_hosts_are_answered_and_a_forwarded_one_counts_from_trusted_peers_only(
    gate: MemoryGate, behind: Behind
) -> None:
    app = layer(gate, behind, hosts=frozenset({"a.example"}), trusted_proxies=(ip_network("10.0.0.1"),))
    token, other = bearer("pkl_viewer"), ("host", "other.example")
    forwarded = ("x-forwarded-host", "a.example")
    assert ask(app, path="/api/v1/me", headers=[token, ("host", "a.example:1")]).status == 200
    assert ask(app, path="/api/v1/me", headers=[token, other]).status == 403
    assert ask(app, path="/api/v1/me", headers=[token, other, forwarded]).status == 403
    assert ask(app, path="/api/v1/me", headers=[token, other, forwarded], client="10.0.0.1").status == 200
