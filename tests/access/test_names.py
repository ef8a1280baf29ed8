import pytest

from access.contract import AccessError, Identity
from access.names import check_tenants, external_names, is_identity, local_name, token_label


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Ann", "ann"),
        (" ann ", "ann"),
        ("ＡＮＮ", "ann"),
        ("Straße", "strasse"),
        ("张伟", "张伟"),
        ("jose\u0301", "jos\u00e9"),
        ("ann.b-c_d@example.com", "ann.b-c_d@example.com"),
        ("x" * 64, "x" * 64),
    ],
)
def test_a_name_is_kept_in_one_spelling(typed: str, name: str) -> None:
    assert local_name(typed) == name


@pytest.mark.parametrize(
    "typed",
    [
        "",
        " ",
        "x" * 65,
        "a b",
        "ann (oidc)",
        "a/b",
        "a\0b",
        "a\u202eb",
        "a\u200bb",
        "a\u1160b",
        "a\nb",
        "\ud800",
        "x" * 10**6,
    ],
)
def test_other_names_nobody_can_have(typed: str) -> None:
    assert local_name(typed) is None


def identity(name: str = "Ann", issuer: str = "https://idp.example", subject: str = "17") -> Identity:
    return Identity(issuer, subject, name, None, None)


@pytest.mark.parametrize("name", ["Ann", "ann", "Ann B", "", "\0\n", "a" * 1000, "(oidc)", "\ud800", "张伟"])
def test_a_provider_s_name_is_never_a_local_one(name: str) -> None:
    for found in external_names(identity(name)):
        assert local_name(found) is None
        assert found.isprintable()
        assert len(found) < 100


def test_two_people_of_one_name_stay_apart() -> None:
    plain, numbered = external_names(identity())
    assert plain == "ann (oidc)"
    assert numbered.startswith("ann (oidc ")
    others = [external_names(identity(subject="18")), external_names(identity(issuer="https://other.example"))]
    assert [names[0] for names in others] == [plain, plain]
    assert len({numbered, *(names[1] for names in others)}) == 3


@pytest.mark.parametrize("half", ["", "x" * 256, "a\0", "a\n", "\ud800"])
def test_an_identity_that_cannot_be_stored_is_none(half: str) -> None:
    assert is_identity(identity())
    assert not is_identity(identity(issuer=half))
    assert not is_identity(identity(subject=half))


def test_a_token_s_name_is_kept_as_it_is_typed() -> None:
    assert token_label("  CI 网关 [eu]  ") == "CI 网关 [eu]"


@pytest.mark.parametrize("typed", ["", "  ", "a\0b", "a\nb", "x" * 201, "\ud800"])
def test_a_token_without_a_usable_name_is_refused(typed: str) -> None:
    with pytest.raises(AccessError, match="name"):
        token_label(typed)


def test_a_tenant_that_no_request_can_have_is_refused() -> None:
    check_tenants(None)
    check_tenants(frozenset())
    check_tenants(frozenset({"acme", "租户 'x'"}))
    for tenant in ("", "a\0", "x" * 501):
        with pytest.raises(AccessError, match="tenant"):
            check_tenants(frozenset({"acme", tenant}))
