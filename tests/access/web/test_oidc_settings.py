from typing import Any

import pytest

from access.web.oidc_settings import OidcSettings, OidcSettingsError, is_usable_address
from vocabulary.access import Role

GOOD: dict[str, Any] = {"issuer": "https://login.example", "client_id": "peakline", "roles": {"sre": Role.OPERATOR}}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"issuer": "http://login.example"}, "give one with https"),
        ({"issuer": "login.example"}, "is no address"),
        ({"client_id": ""}, "client_id"),
        ({"scopes": "profile"}, "must contain openid"),
        ({"roles": {}}, "Nobody could log in"),
    ],
)
def test_what_cannot_work_is_said_at_start(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OidcSettingsError, match=sentence):
        OidcSettings(**{**GOOD, **change})


def test_the_secret_is_in_no_representation() -> None:
    assert "hush" not in repr(OidcSettings(**GOOD, client_secret="hush"))


@pytest.mark.parametrize(
    ("address", "is_usable"),
    [
        ("https://login.example/realms/a", True),
        ("http://127.0.0.1:1", True),
        ("http://[::1]:1", True),
        ("http://localhost", True),
        ("http://localhost.evil.example", False),
        ("http://10.0.0.1", False),
        ("https://user@login.example", False),
        ("https://login.example/#x", False),
        ("https://[::1", False),
        ("ftp://login.example", False),
        ("", False),
    ],
)
def test_secrets_travel_encrypted_or_on_this_machine(address: str, *, is_usable: bool) -> None:
    assert is_usable_address(address) is is_usable
