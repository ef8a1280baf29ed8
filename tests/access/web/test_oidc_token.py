"""Identity tokens that must not be believed."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from joserfc import jws, jwt
from joserfc.jwk import ECKey, KeySet, OctKey, RSAKey

from access.web.oidc_errors import OidcError
from access.web.oidc_token import Expected, UnknownKeyError, key_set, verified_claims
from tests.factories.identity_provider import CLIENT_ID, new_key, signed_with_text, unsigned

NOW_S = 1_760_000_000
EXPECTED = Expected("https://login.example", CLIENT_ID, "n-1", NOW_S)
KEY, OTHER = new_key("k-1"), new_key("k-1")


def _claims(**changes: Any) -> dict[str, Any]:
    claims = {
        "iss": "https://login.example",
        "sub": "u-1",
        "aud": CLIENT_ID,
        "iat": NOW_S,
        "exp": NOW_S + 300,
        "nonce": "n-1",
        **changes,
    }
    return {name: value for name, value in claims.items() if value is not None}


def _signed(claims: dict[str, Any], key: RSAKey = KEY, **header: Any) -> str:
    return jwt.encode({"alg": "RS256", "kid": "k-1", **header}, claims, key)


def _keys(*keys: RSAKey | ECKey) -> KeySet:
    return key_set({"keys": [key.as_dict(private=False) for key in keys or (KEY,)]})


def test_a_token_for_this_log_in_is_believed() -> None:
    assert verified_claims(_signed(_claims()), _keys(), EXPECTED)["sub"] == "u-1"


@pytest.mark.parametrize(
    "changes",
    [
        {"exp": NOW_S - 59},
        {"iat": NOW_S + 59},
        {"nbf": NOW_S + 59},
        {"aud": [CLIENT_ID]},
        {"aud": [CLIENT_ID, "other"], "azp": CLIENT_ID},
    ],
)
def test_clocks_may_differ_by_a_minute_and_audiences_may_be_listed(changes: dict[str, Any]) -> None:
    assert verified_claims(_signed(_claims(**changes)), _keys(), EXPECTED)


@pytest.mark.parametrize(
    "changes",
    [
        {"nonce": "n-2"},
        {"nonce": None},
        {"nonce": ""},
        {"aud": "other"},
        {"aud": None},
        {"aud": [CLIENT_ID, "other"]},
        {"aud": [CLIENT_ID, "other"], "azp": "other"},
        {"azp": "other"},
        {"iss": "https://evil.example"},
        {"iss": None},
        {"exp": NOW_S - 61},
        {"exp": None},
        {"exp": "never"},
        {"iat": NOW_S + 61},
        {"iat": None},
        {"nbf": NOW_S + 61},
        {"sub": None},
        {"at_hash": "wrong"},
    ],
)
def test_a_token_for_anything_else_is_not(changes: dict[str, Any]) -> None:
    with pytest.raises(OidcError, match="not for this log-in"):
        verified_claims(_signed(_claims(**changes)), _keys(), EXPECTED, "at")


def _hs256_with_the_public_key(claims: dict[str, Any]) -> str:
    return signed_with_text(claims, KEY.as_pem(private=False), "k-1")


def _with_its_own_key(claims: dict[str, Any]) -> str:
    return _signed(claims, OTHER, jwk=OTHER.as_dict(private=False))


def _nested(_: dict[str, Any]) -> str:
    return jws.serialize_compact({"alg": "RS256", "kid": "k-1"}, b"[" * 20_000, KEY)


def _changed(claims: dict[str, Any]) -> str:
    head, _, signature = _signed(claims).split(".")
    body = base64.urlsafe_b64encode(json.dumps({**claims, "sub": "root"}).encode()).rstrip(b"=").decode()
    return f"{head}.{body}.{signature}"


@pytest.mark.parametrize(
    "forge",
    [
        unsigned,
        _hs256_with_the_public_key,
        _with_its_own_key,
        _changed,
        _nested,
        lambda claims: _signed(claims, OTHER),
        lambda claims: _signed(claims).rpartition(".")[0] + ".",
        lambda _: "not.a.token",
        lambda _: "",
        lambda _: "x" * 70_000,
        lambda _: None,
        lambda _: ["a"],
    ],
)
def test_a_forged_token_is_not_believed(forge: Callable[[dict[str, Any]], object]) -> None:
    with pytest.raises(OidcError, match=r"cannot be believed|no usable"):
        verified_claims(forge(_claims()), _keys(), EXPECTED)


def test_what_is_wrong_is_said_without_the_token() -> None:
    token = _signed(_claims(nonce="other"))
    with pytest.raises(OidcError) as caught:
        verified_claims(token, _keys(), EXPECTED)
    assert "nonce" in str(caught.value)
    assert token.split(".")[1] not in str(caught.value)


def test_a_key_that_is_not_known_is_told_apart_so_that_newer_ones_are_fetched() -> None:
    with pytest.raises(UnknownKeyError):
        verified_claims(_signed(_claims(), new_key("k-2"), kid="k-2"), _keys(), EXPECTED)


def test_one_published_key_needs_no_name() -> None:
    assert verified_claims(jwt.encode({"alg": "RS256"}, _claims(), KEY), _keys(), EXPECTED)


def test_other_signatures_of_providers_are_understood() -> None:
    key = ECKey.generate_key("P-256", {"kid": "e-1"})
    token = jwt.encode({"alg": "ES256", "kid": "e-1"}, _claims(), key)
    assert verified_claims(token, _keys(KEY, key), EXPECTED)


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"keys": "x"},
        {"keys": []},
        {"keys": [7, {"kty": "new"}, {"kty": "RSA"}, {}]},
        {"keys": [OctKey.generate_key(256).as_dict()]},
        {"keys": [RSAKey.generate_key(2048, {"use": "enc"}).as_dict(private=False)]},
    ],
)
def test_keys_that_cannot_sign_are_left_out(document: dict[str, Any]) -> None:
    with pytest.raises(OidcError, match="no key"):
        key_set(document)
