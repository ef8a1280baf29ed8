from typing import Any

import pytest

from access.web.oidc_claims import claimed, identity_of
from access.web.oidc_errors import OidcError, Trouble
from access.web.oidc_settings import OidcSettings
from vocabulary.access import Role

ROLES = {"sre": Role.OPERATOR, "audit": Role.AUDITOR, "all": Role.VIEWER, "root": Role.ADMIN}


def _settings(**more: Any) -> OidcSettings:
    return OidcSettings(**{"issuer": "https://login.example", "client_id": "peakline", "roles": ROLES, **more})


@pytest.mark.parametrize(
    ("groups", "default", "role"),
    [
        (["all", "sre"], None, Role.OPERATOR),
        (["audit", "sre"], None, Role.OPERATOR),
        (["audit", "all"], None, Role.AUDITOR),
        (["root", "audit"], None, Role.ADMIN),
        ("sre", None, Role.OPERATOR),
        (["SRE", "other"], None, None),
        (["other"], Role.VIEWER, Role.VIEWER),
        (["sre"], Role.VIEWER, Role.OPERATOR),
        ([], None, None),
        (None, None, None),
        ({"sre": True}, None, None),
        ([["sre"], 7], None, None),
    ],
)
def test_the_most_powerful_role_counts_and_without_one_the_default(
    groups: object, default: Role | None, role: Role | None
) -> None:
    assert identity_of({"sub": "u", "groups": groups}, _settings(default_role=default)).role is role


def test_a_claim_may_lie_in_an_object_and_an_exact_name_wins() -> None:
    nested = {"sub": "u", "realm_access": {"roles": ["root"]}}
    settings = _settings(role_claim="realm_access.roles")
    assert identity_of(nested, settings).role is Role.ADMIN
    assert identity_of({**nested, "realm_access.roles": ["all"]}, settings).role is Role.VIEWER
    assert claimed({"a": {"b": 1}}, "a.b.c") is None


@pytest.mark.parametrize(
    ("claim", "value", "tenants"),
    [
        ("", ["a"], None),
        ("teams", ["a", "b", ""], frozenset({"a", "b"})),
        ("teams", "a", frozenset({"a"})),
        ("teams", None, frozenset()),
        ("teams", [7], frozenset()),
    ],
)
def test_tenants_come_from_their_claim_and_a_missing_one_reads_nothing(
    claim: str, value: object, tenants: frozenset[str] | None
) -> None:
    assert identity_of({"sub": "u", "teams": value}, _settings(tenant_claim=claim)).tenants == tenants


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({"preferred_username": "ada", "email": "a@b.example"}, "ada"),
        ({"preferred_username": " ", "email": "a@b.example"}, "a@b.example"),
        ({"email": "a@b.example", "email_verified": False}, "u-1"),
        ({"preferred_username": "a\x1b[31m\nda"}, "a[31mda"),
        ({"preferred_username": 7}, "u-1"),
        ({"preferred_username": "x" * 300}, "x" * 200),
    ],
)
def test_a_name_is_what_people_read(claims: dict[str, Any], name: str) -> None:
    found = identity_of({"sub": "u-1", **claims}, _settings())
    assert (found.name, found.subject, found.issuer) == (name, "u-1", "https://login.example")


@pytest.mark.parametrize("subject", [None, "", 7, "x" * 256])
def test_somebody_without_a_subject_is_nobody(subject: object) -> None:
    with pytest.raises(OidcError) as caught:
        identity_of({"sub": subject}, _settings())
    assert caught.value.trouble is Trouble.FAILED
