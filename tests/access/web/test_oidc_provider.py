"""The provider as a client sees it, over loopback."""

import asyncio
import base64
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from access.contract import Identity
from access.web.oidc_errors import OidcError, Trouble
from access.web.oidc_provider import OidcProvider
from access.web.oidc_settings import OidcSettings
from access.web.oidc_ticket import new_ticket
from tests.conftest import CountingClock
from tests.factories.identity_provider import (
    CLIENT_ID,
    SigningProvider,
    new_key,
    running,
    signed_with_text,
    unsigned,
)
from vocabulary.access import Role

KEY, NEXT_KEY = new_key("k-1"), new_key("k-2")
REDIRECT = "http://127.0.0.1:8600/login/oidc/callback"
DISCOVERY = "/.well-known/openid-configuration"


@dataclass
class Parts:
    """A provider that misbehaves on demand, our client of it, and the time of both."""

    there: SigningProvider
    here: OidcProvider
    clock: CountingClock

    def log_in(self) -> Identity:
        ticket = new_ticket("/")
        address = asyncio.run(self.here.authorization_address(ticket, REDIRECT))
        assert self.there.authorize(address).startswith(REDIRECT)
        return asyncio.run(self.here.identity("code-1", ticket, REDIRECT))

    def settle(self, **changes: Any) -> None:
        self.here = OidcProvider(replace(self.here.settings, **changes), self.clock)


@pytest.fixture
def parts(clock: CountingClock) -> Iterator[Parts]:
    there = SigningProvider(lambda: clock.at_ns // 1_000_000_000, KEY)
    with running(there) as issuer:
        roles = {"sre": Role.OPERATOR}
        settings = OidcSettings(issuer, CLIENT_ID, "a:b secret", roles=roles, timeout_s=5)
        yield Parts(there, OidcProvider(settings, clock), clock)


def test_the_way_there_carries_everything_that_must_come_back_and_no_secret(parts: Parts) -> None:
    ticket = new_ticket("/")
    address = asyncio.run(parts.here.authorization_address(ticket, REDIRECT))
    asked = {name: values for name, values in parse_qs(urlsplit(address).query).items() if name != "code_challenge"}
    assert asked == {
        "response_type": ["code"],
        "client_id": [CLIENT_ID],
        "redirect_uri": [REDIRECT],
        "scope": ["openid profile email"],
        "state": [ticket.state],
        "nonce": [ticket.nonce],
        "code_challenge_method": ["S256"],
    }
    assert ticket.verifier not in address


def test_a_code_becomes_an_identity(parts: Parts) -> None:
    found = parts.log_in()
    assert found == Identity(parts.here.settings.issuer, "u-1", "ada", Role.OPERATOR, None)
    form, headers = parts.there.token_requests[0]
    assert (form["grant_type"], form["code"]) == ("authorization_code", "code-1")
    assert base64.b64decode(headers["authorization"].removeprefix("Basic ")) == b"peakline:a:b secret"
    assert "client_secret" not in form


def test_a_provider_that_wants_the_secret_in_the_form_gets_it_there(parts: Parts) -> None:
    parts.there.metadata["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
    parts.log_in()
    form, headers = parts.there.token_requests[0]
    assert form["client_secret"] == "a:b secret"
    assert "authorization" not in headers


def test_a_public_client_sends_its_name_alone(parts: Parts) -> None:
    parts.settle(client_secret="")
    parts.log_in()
    form, headers = parts.there.token_requests[0]
    assert form["client_id"] == CLIENT_ID
    assert "authorization" not in headers
    assert "client_secret" not in form


def test_claims_that_are_kept_out_of_the_token_are_asked_for(parts: Parts) -> None:
    parts.there.claims = {"groups": None}
    parts.there.user_info = {"sub": "u-1", "groups": "sre", "preferred_username": "somebody else"}
    assert (parts.log_in().role, parts.log_in().name) == (Role.OPERATOR, "ada")


def test_user_information_about_somebody_else_is_not_believed(parts: Parts) -> None:
    parts.there.claims = {"groups": None}
    parts.there.user_info = {"sub": "root", "groups": "sre"}
    with pytest.raises(OidcError, match="somebody else"):
        parts.log_in()


def test_a_provider_without_user_information_is_not_asked_for_it(parts: Parts) -> None:
    parts.there.claims, parts.there.metadata = {"groups": None}, {"userinfo_endpoint": None}
    assert parts.log_in().role is None
    assert "/userinfo" not in parts.there.asked


# ---- documents


def test_documents_are_fetched_once_and_again_after_an_hour(parts: Parts) -> None:
    parts.log_in()
    parts.log_in()
    assert (parts.there.asked.count(DISCOVERY), parts.there.asked.count("/jwks")) == (1, 1)
    parts.clock.at_ns += 3_600_000_000_000
    parts.log_in()
    assert (parts.there.asked.count(DISCOVERY), parts.there.asked.count("/jwks")) == (2, 2)


def test_a_new_key_of_the_provider_is_fetched_when_it_is_first_used(parts: Parts) -> None:
    parts.log_in()
    parts.there.key, parts.there.published = NEXT_KEY, [NEXT_KEY]
    parts.clock.at_ns += 31_000_000_000
    assert parts.log_in().subject == "u-1"
    assert parts.there.asked.count("/jwks") == 2


def test_unknown_keys_do_not_make_us_ask_again_and_again(parts: Parts) -> None:
    parts.log_in()
    parts.there.key, parts.there.published = new_key("k-9"), [KEY]
    parts.clock.at_ns += 31_000_000_000
    for _ in range(3):
        with pytest.raises(OidcError, match="unknown key"):
            parts.log_in()
    assert parts.there.asked.count("/jwks") == 2


def test_a_failure_is_told_again_for_some_seconds_without_asking(parts: Parts) -> None:
    parts.there.answers[DISCOVERY] = PlainTextResponse("down", 503)
    for _ in range(2):
        with pytest.raises(OidcError, match="503"):
            parts.log_in()
    assert parts.there.asked == [DISCOVERY]
    del parts.there.answers[DISCOVERY]
    parts.clock.at_ns += 5_000_000_000
    assert parts.log_in().subject == "u-1"


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://evil.example"},
        {"issuer": None},
        {"token_endpoint": None},
        {"token_endpoint": "http://10.0.0.1/token"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"jwks_uri": 7},
    ],
)
def test_a_discovery_document_that_leads_elsewhere_is_not_used(parts: Parts, metadata: dict[str, Any]) -> None:
    parts.there.metadata = metadata
    with pytest.raises(OidcError, match=r"another issuer|no usable"):
        parts.log_in()


@pytest.mark.parametrize("path", [DISCOVERY, "/jwks", "/token"])
@pytest.mark.parametrize(
    "answer",
    [
        PlainTextResponse("no json"),
        JSONResponse([1]),
        JSONResponse({"error": "server_error", "error_description": "s3cret"}, 400),
        RedirectResponse("http://127.0.0.1:1/"),
        Response(b"x" * 1_048_577, media_type="application/json"),
        Response(b'"' + b"\xff" * 10 + b'"', media_type="application/json"),
        Response(b"[" * 100_000, media_type="application/json"),
    ],
)
def test_an_unusable_answer_is_a_failure_and_nothing_of_it_is_repeated(
    parts: Parts, path: str, answer: Response
) -> None:
    parts.there.answers[path] = answer
    with pytest.raises(OidcError) as caught:
        parts.log_in()
    assert caught.value.trouble is Trouble.FAILED
    assert "s3cret" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_used_or_late_code_is_worth_another_try(parts: Parts) -> None:
    parts.there.answers["/token"] = JSONResponse({"error": "invalid_grant"}, 400)
    with pytest.raises(OidcError) as caught:
        parts.log_in()
    assert caught.value.trouble is Trouble.STALE


def test_nobody_at_the_address_is_a_failure(clock: CountingClock) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: whoever comes is turned away
        settings = OidcSettings(f"http://127.0.0.1:{taken.getsockname()[1]}", CLIENT_ID, default_role=Role.VIEWER)
        with pytest.raises(OidcError, match="cannot be asked"):
            asyncio.run(OidcProvider(settings, clock).authorization_address(new_ticket("/"), REDIRECT))


def test_a_provider_that_does_not_answer_is_given_up(clock: CountingClock) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        issuer = f"http://127.0.0.1:{silent.getsockname()[1]}"
        settings = OidcSettings(issuer, CLIENT_ID, default_role=Role.VIEWER, timeout_s=0.05)
        with pytest.raises(OidcError, match="cannot be asked"):
            asyncio.run(OidcProvider(settings, clock).authorization_address(new_ticket("/"), REDIRECT))


# ---- tokens


@pytest.mark.parametrize(
    ("claims", "make_token"),
    [
        ({"nonce": "another"}, None),
        ({"aud": "another"}, None),
        ({"iss": "https://evil.example"}, None),
        ({"exp": 1_760_000_000 - 3600}, None),
        ({}, unsigned),
        ({}, lambda claims: signed_with_text(claims, KEY.as_pem(private=False), "k-1")),
        ({}, lambda claims: signed_with_text(claims, b"a:b secret", "k-1")),
    ],
)
def test_a_misused_token_lets_nobody_in(
    parts: Parts, claims: dict[str, Any], make_token: Callable[[dict[str, Any]], str] | None
) -> None:
    parts.there.claims, parts.there.make_token = claims, make_token
    with pytest.raises(OidcError, match="identity token"):
        parts.log_in()
