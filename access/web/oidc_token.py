"""Whether an identity token is to be believed: signature, issuer, audience, time, nonce."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import ECKey, JWKRegistry, KeySet, OKPKey, RSAKey

from access.web.oidc_errors import OidcError

ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA", "Ed25519"),
)
"""Signatures with the provider's own key. No `none`, and no HS256: its key would be public, or the client's secret."""

SKEW_MAX_S = 60
TOKEN_MAX = 64 * 1024


class UnknownKeyError(OidcError):
    """The token is signed with a key that is not among those known; newer ones may have it."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What the token must say.

    now_s  seconds since the epoch
    """

    issuer: str
    client_id: str
    nonce: str
    now_s: int


def key_set(document: Mapping[str, Any]) -> KeySet:
    """The keys of a JWKS document that can sign; what is of an unknown kind, symmetric or malformed is left out.

    raises  OidcError when none is left
    """
    listed = document.get("keys")
    found = [key for data in (listed if isinstance(listed, list) else []) if (key := _key(data)) is not None]
    if not found:
        raise OidcError("the provider publishes no key that could sign an identity token")
    return KeySet(list(found))


def _key(data: object) -> RSAKey | ECKey | OKPKey | None:
    if not isinstance(data, dict) or data.get("use", "sig") != "sig":
        return None
    try:
        key = JWKRegistry.import_key(data)
    except (JoseError, ValueError, TypeError, KeyError):
        return None
    return key if isinstance(key, RSAKey | ECKey | OKPKey) else None


def verified_claims(token: object, keys: KeySet, expected: Expected, access_token: str = "") -> dict[str, Any]:
    """The claims of an identity token.

    access_token  that came with it; its hash in the token must fit, if the token has one
    raises        UnknownKeyError, or OidcError with what is wrong; never with the token itself
    """
    if not isinstance(token, str) or len(token) > TOKEN_MAX:
        raise OidcError("the provider sent no usable identity token")
    try:
        decoded = jwt.decode(token, keys, algorithms=list(ALGORITHMS))
    except InvalidKeyIdError:
        raise UnknownKeyError("the identity token is signed with an unknown key") from None
    except (JoseError, ValueError, TypeError, KeyError, RecursionError) as problem:
        raise OidcError(f"the identity token cannot be believed ({type(problem).__name__})") from None
    _check(decoded.claims, decoded.header, expected, access_token)
    return decoded.claims


def _check(claims: dict[str, Any], header: dict[str, Any], expected: Expected, access_token: str) -> None:
    from authlib.oidc.core.claims import CodeIDToken  # type: ignore[import-untyped]  # Authlib ships no annotations

    options = {
        "iss": {"essential": True, "value": expected.issuer},
        "aud": {"essential": True, "value": expected.client_id},
    }
    params = {"client_id": expected.client_id, "nonce": expected.nonce, "access_token": access_token}
    try:
        CodeIDToken(claims, header, options, params).validate(expected.now_s, SKEW_MAX_S)
    except (JoseError, ValueError, TypeError, KeyError) as problem:
        claim = getattr(problem, "claim", "") or type(problem).__name__
        raise OidcError(f"the identity token is not for this log-in (claim {claim})") from None
