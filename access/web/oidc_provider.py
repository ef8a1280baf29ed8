"""The identity provider as a client sees it: its documents, the way there, and who came back."""

import asyncio
import json
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import httpx
from authlib.oauth2.auth import ClientAuth  # type: ignore[import-untyped]  # Authlib ships no annotations
from authlib.oauth2.rfc6749.parameters import (  # type: ignore[import-untyped]  # as above
    prepare_grant_uri,
    prepare_token_request,
)
from authlib.oauth2.rfc7636 import create_s256_code_challenge  # type: ignore[import-untyped]  # as above

from access.contract import Identity
from access.web.oidc_claims import claimed, identity_of
from access.web.oidc_errors import OidcError, Trouble
from access.web.oidc_settings import OidcSettings, is_usable_address
from access.web.oidc_ticket import Ticket
from access.web.oidc_token import Expected, UnknownKeyError, key_set, verified_claims

DOCUMENT_MAX_S = 3600
KEYS_REFRESH_MIN_S = 30
FAILURE_KEPT_S = 5
ANSWER_BYTES_MAX = 1024 * 1024
_OK = 200
_FORM = {"Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded;charset=UTF-8"}


@dataclass(slots=True)
class _Kept:
    """A document of the provider, and when it was fetched; or when fetching it failed."""

    document: dict[str, Any] | None = None
    at_s: float = 0.0
    problem: OidcError | None = None


class OidcProvider:
    """Asks the configured issuer, and what its discovery document names; nothing else, and only during a log-in.

    Authorization code with PKCE (S256). Documents are kept for an hour at most; keys are fetched again when a token
    names one that is not known, at most twice a minute.

    clock_ns  the time, for ages and for tokens
    """

    def __init__(self, settings: OidcSettings, clock_ns: Callable[[], int]) -> None:
        self.settings = settings
        self._clock_ns = clock_ns
        self._discovery = _Kept()
        self._keys = _Kept()
        self._one_at_a_time = asyncio.Lock()

    async def authorization_address(self, ticket: Ticket, redirect_uri: str) -> str:
        """Where the browser is sent.

        raises  OidcError
        """
        endpoint = await self._endpoint("authorization_endpoint")
        address: str = prepare_grant_uri(
            endpoint,
            self.settings.client_id,
            "code",
            redirect_uri,
            self.settings.scopes,
            ticket.state,
            nonce=ticket.nonce,
            code_challenge=create_s256_code_challenge(ticket.verifier),
            code_challenge_method="S256",
        )
        return address

    async def identity(self, code: str, ticket: Ticket, redirect_uri: str) -> Identity:
        """Who the code is about.

        raises  OidcError
        """
        tokens = await self._exchange(code, ticket, redirect_uri)
        access_token = str(tokens.get("access_token") or "")
        claims = await self._believed(tokens.get("id_token"), ticket, access_token)
        wanted = [name for name in (self.settings.role_claim, self.settings.tenant_claim) if name]
        if access_token and any(claimed(claims, name) is None for name in wanted):
            claims = {**await self._user_info(access_token, claims["sub"]), **claims}
        return identity_of(claims, self.settings)

    async def _believed(self, token: object, ticket: Ticket, access_token: str) -> dict[str, Any]:
        expected = Expected(self.settings.issuer, self.settings.client_id, ticket.nonce, int(self._now_s()))
        for oldest_s in (DOCUMENT_MAX_S, KEYS_REFRESH_MIN_S):
            document = await self._document(self._keys, await self._endpoint("jwks_uri"), oldest_s)
            try:
                return verified_claims(token, key_set(document), expected, access_token)
            except UnknownKeyError as problem:
                unknown = problem
        raise unknown

    async def _exchange(self, code: str, ticket: Ticket, redirect_uri: str) -> dict[str, Any]:
        endpoint = await self._endpoint("token_endpoint")
        secret = self.settings.client_secret
        authentication = ClientAuth(self.settings.client_id, secret, await self._authentication_method())
        body = prepare_token_request("authorization_code", "", redirect_uri, code=code, code_verifier=ticket.verifier)
        address, headers, body = authentication.prepare("POST", endpoint, dict(_FORM), body)
        return await self._ask(httpx.Request("POST", address, headers=headers, content=body))

    async def _authentication_method(self) -> str:
        if not self.settings.client_secret:
            return "none"
        offered = (await self._discovered()).get("token_endpoint_auth_methods_supported")
        posts_only = (
            isinstance(offered, list) and "client_secret_basic" not in offered and "client_secret_post" in offered
        )
        return "client_secret_post" if posts_only else "client_secret_basic"

    async def _user_info(self, access_token: str, subject: object) -> dict[str, Any]:
        """Claims that the provider keeps out of the token; none where it has no such endpoint."""
        if not (await self._discovered()).get("userinfo_endpoint"):
            return {}
        address = await self._endpoint("userinfo_endpoint")
        found = await self._ask(httpx.Request("GET", address, headers={"Authorization": f"Bearer {access_token}"}))
        if found.get("sub") != subject:
            raise OidcError("the provider's user information is about somebody else")
        return found

    async def _discovered(self) -> dict[str, Any]:
        address = self.settings.issuer.rstrip("/") + "/.well-known/openid-configuration"
        found = await self._document(self._discovery, address, DOCUMENT_MAX_S)
        if found.get("issuer") != self.settings.issuer:
            raise OidcError(f"the discovery document of {self.settings.issuer} names another issuer")
        return found

    async def _endpoint(self, name: str) -> str:
        address = (await self._discovered()).get(name)
        if not isinstance(address, str) or not is_usable_address(address):
            raise OidcError(f"the discovery document of {self.settings.issuer} has no usable {name}")
        return address

    async def _document(self, kept: _Kept, address: str, oldest_s: float) -> dict[str, Any]:
        """As it was kept, if it is not older than that; a failure is told again for some seconds without asking."""
        async with self._one_at_a_time:
            age_s = self._now_s() - kept.at_s
            if kept.problem is not None and age_s < FAILURE_KEPT_S:
                raise OidcError(str(kept.problem), kept.problem.trouble)
            if kept.document is not None and kept.problem is None and age_s < oldest_s:
                return kept.document
            try:
                kept.document, kept.problem = await self._ask(httpx.Request("GET", address)), None
            except OidcError as problem:
                kept.problem = problem
                raise
            finally:
                kept.at_s = self._now_s()
            return kept.document

    async def _ask(self, request: httpx.Request) -> dict[str, Any]:
        """A JSON object. Redirects are not followed, and no more than a megabyte is read."""
        where = urlsplit(str(request.url))._replace(query="").geturl()
        try:
            async with asyncio.timeout(self.settings.timeout_s):
                status, body = await self._bounded(request)
            answer = json.loads(body)
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, OSError) as problem:
            raise OidcError(f"{where} cannot be asked ({type(problem).__name__})") from None
        except (ValueError, RecursionError):  # the latter: nested deeper than anybody means it
            raise OidcError(f"{where} answered {status} without JSON") from None
        if status != _OK or not isinstance(answer, dict):
            error = str(answer.get("error", "")) if isinstance(answer, dict) else ""
            trouble = Trouble.STALE if error == "invalid_grant" else Trouble.FAILED
            raise OidcError(f"{where} answered {status} {_printable(error)}", trouble)
        return answer

    async def _bounded(self, request: httpx.Request) -> tuple[int, bytes]:
        body = bytearray()
        async with httpx.AsyncClient(verify=_authorities(), timeout=self.settings.timeout_s) as client:
            answer = await client.send(request, stream=True)
            try:
                async for chunk in answer.aiter_bytes():
                    body += chunk
                    if len(body) > ANSWER_BYTES_MAX:
                        message = f"{request.url.host} answered with more than {ANSWER_BYTES_MAX} bytes"
                        raise OidcError(message)
            finally:
                await answer.aclose()
        return answer.status_code, bytes(body)

    def _now_s(self) -> float:
        return self._clock_ns() / 1e9


@cache
def _authorities() -> ssl.SSLContext:
    """Whose certificates providers may have; reading them takes a while."""
    return httpx.create_ssl_context()


def _printable(text: str) -> str:
    return "".join(sign for sign in text[:100] if sign.isprintable())
