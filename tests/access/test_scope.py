import pytest

from access.contract import AccessError
from access.scope import check_scope, is_scope
from vocabulary.access import Role


@pytest.mark.parametrize("role", list(Role))
def test_readers_may_be_limited_to_tenants_senders_and_admins_not(role: Role) -> None:
    assert is_scope(role, None)
    can_be_limited = role in {Role.VIEWER, Role.OPERATOR, Role.AUDITOR}
    for tenants in (frozenset[str](), frozenset({"acme"})):
        assert is_scope(role, tenants) is can_be_limited


def test_the_reason_is_told() -> None:
    with pytest.raises(AccessError, match="role ingest cannot be limited to tenants"):
        check_scope(Role.INGEST, frozenset({"acme"}))
    with pytest.raises(AccessError, match="A tenant's name"):
        check_scope(Role.VIEWER, frozenset({""}))
