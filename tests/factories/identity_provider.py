"""Identity providers on loopback: a real one that keeps to the rules, and one that signs whatever it is told."""

import base64
import hashlib
import hmac
import json
import os
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest import mock
from urllib.parse import parse_qs, urlsplit

import httpx
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from werkzeug.serving import make_server

from tests.factories.serving import served

CLIENT_ID = "peakline"


@contextmanager
def real_provider(users: Mapping[str, Mapping[str, object]]) -> Iterator[str]:
    """The issuer of oidc-provider-mock with these users (subject -> claims). It speaks http on loopback only."""
    with _quiet(), mock.patch.dict(os.environ, AUTHLIB_INSECURE_TRANSPORT="1"):
        import oidc_provider_mock as provider  # type: ignore[import-untyped]  # ships no annotations

        known = [provider.User(sub=sub, claims=dict(claims)) for sub, claims in users.items()]
        app = provider.app(require_nonce=True, user_claims=known)

    def answer(environ: Any, start_response: Any) -> list[bytes]:
        with _quiet(), mock.patch.dict(os.environ, AUTHLIB_INSECURE_TRANSPORT="1"):
            return list(app(environ, start_response))

    server = make_server("127.0.0.1", 0, answer)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def _quiet() -> Iterator[None]:
    """The provider's own use of old parts of Authlib is no warning about ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def consent(address: str, subject: str) -> str:
    """A person logs in at the real provider: where their browser is sent back to."""
    return _sent_back(address, {"sub": subject})


def deny(address: str) -> str:
    """A person says no at the real provider."""
    return _sent_back(address, {"action": "deny"})


def _sent_back(address: str, form: dict[str, str]) -> str:
    answer = httpx.post(address, data=form)
    assert answer.is_redirect, answer.text
    return answer.headers["location"]


def new_key(kid: str) -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig"})


@dataclass
class SigningProvider:
    """A provider that can be made to misbehave; it checks PKCE and the redirect address.

    key          signs tokens
    published    keys of its JWKS document
    make_token   claims -> identity token, instead of signing with `key`
    claims       added to those of the token, or put in their place; None takes one away
    metadata     added to the discovery document, or put in its place; None takes one away
    user_info    answer of that endpoint
    answers      path -> answer, in place of what it would say
    """

    now_s: Callable[[], int]
    key: RSAKey
    published: list[RSAKey] = field(default_factory=list)
    make_token: Callable[[dict[str, Any]], str] | None = None
    claims: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    user_info: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, Response] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    token_requests: list[tuple[dict[str, str], dict[str, str]]] = field(default_factory=list)
    _authorized: dict[str, str] = field(default_factory=dict)

    def app(self) -> Starlette:
        paths = {
            "/.well-known/openid-configuration": self._discovery,
            "/jwks": lambda _request: {"keys": [key.as_dict(private=False) for key in self.published or [self.key]]},
            "/token": self._token,
            "/userinfo": lambda _request: self.user_info,
        }
        routes = [Route(path, self._answering(make), methods=["GET", "POST"]) for path, make in paths.items()]
        return Starlette(routes=routes)

    def authorize(self, address: str) -> str:
        """What a browser would do there: the address that it is sent back to."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert (asked["client_id"], asked["response_type"]) == (CLIENT_ID, "code")
        assert asked["code_challenge_method"] == "S256"
        self._authorized = asked
        return f"{asked['redirect_uri']}?code=code-1&state={asked['state']}"

    def _answering(self, make: Callable[[Request], dict[str, Any]]) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            self.asked.append(request.url.path)
            await request.body()
            if request.url.path in self.answers:
                return self.answers[request.url.path]
            return JSONResponse(make(request))

        return answer

    def _discovery(self, request: Request) -> dict[str, Any]:
        here = str(request.base_url).rstrip("/")
        document = {
            "issuer": here,
            "authorization_endpoint": f"{here}/authorize",
            "token_endpoint": f"{here}/token",
            "jwks_uri": f"{here}/jwks",
            "userinfo_endpoint": f"{here}/userinfo",
            **self.metadata,
        }
        return {name: value for name, value in document.items() if value is not None}

    def _token(self, request: Request) -> dict[str, Any]:
        form = {name: values[0] for name, values in parse_qs(request._body.decode()).items()}
        self.token_requests.append((form, dict(request.headers)))
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=")
        assert challenge.decode() == self._authorized["code_challenge"]
        assert form["redirect_uri"] == self._authorized["redirect_uri"]
        here = str(request.base_url).rstrip("/")
        return {"access_token": "at", "token_type": "Bearer", "id_token": self._id_token(here)}

    def _id_token(self, issuer: str) -> str:
        now_s = self.now_s()
        claims = {
            "iss": issuer,
            "sub": "u-1",
            "aud": CLIENT_ID,
            "iat": now_s,
            "exp": now_s + 300,
            "nonce": self._authorized["nonce"],
            "groups": ["sre"],
            "preferred_username": "ada",
            **self.claims,
        }
        kept = {name: value for name, value in claims.items() if value is not None}
        if self.make_token is not None:
            return self.make_token(kept)
        return jwt.encode({"alg": "RS256", "kid": self.key.kid}, kept, self.key)


@contextmanager
def running(provider: SigningProvider) -> Iterator[str]:
    """The issuer of a provider of our own."""
    with served(provider.app()) as url:
        yield url


def unsigned(claims: Mapping[str, Any]) -> str:
    """A token with the algorithm `none`."""
    return _unsigned_part({"alg": "none", "typ": "JWT"}, claims) + "."


def signed_with_text(claims: Mapping[str, Any], text: bytes, kid: str) -> str:
    """A token with HS256 whose secret is a text that everybody knows, such as the provider's public key."""
    start = _unsigned_part({"alg": "HS256", "typ": "JWT", "kid": kid}, claims)
    return f"{start}.{_encoded(hmac.digest(text, start.encode(), 'sha256'))}"


def _unsigned_part(header: Mapping[str, Any], claims: Mapping[str, Any]) -> str:
    return ".".join(_encoded(json.dumps(part).encode()) for part in (header, claims))


def _encoded(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).rstrip(b"=").decode()
