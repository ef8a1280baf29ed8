from dataclasses import replace

from api.access_wire import me_item, setting_item, token_item, user_item
from store.control.access_records import StoredToken, StoredUser, UserKind
from tests.api.conftest import SettingRow, somebody
from vocabulary.access import ANONYMOUS, PrincipalKind, Role

NOW_NS = 1_760_000_000_000_000_000
TOKEN = StoredToken("abc", "gateway", Role.INGEST, None, NOW_NS, "ada", expires_ns=NOW_NS + 1)


def test_a_caller_is_told_what_their_role_grants() -> None:
    item = me_item(somebody(Role.OPERATOR, frozenset({"b", "a"})), NOW_NS)
    assert (item.permissions, item.tenants) == (["operate", "read"], ["a", "b"])
    assert (item.kind, item.session_ends) == ("user", "2025-10-09T08:53:20Z")


def test_everybody_on_loopback_has_no_session_and_no_bounds() -> None:
    item = me_item(ANONYMOUS, None)
    assert (item.name, item.kind, item.tenants, item.session_ends) == ("anonymous@loopback", "anonymous", None, None)
    assert len(item.permissions) == 6
    assert PrincipalKind(item.kind) is PrincipalKind.ANONYMOUS


def test_a_token_is_told_with_whether_it_still_lets_in() -> None:
    assert [token_item(TOKEN, at_ns).state for at_ns in (NOW_NS, NOW_NS + 1)] == ["active", "expired"]


def test_a_token_is_told_with_its_times() -> None:
    item = token_item(TOKEN, NOW_NS)
    assert (item.created, item.last_used, item.tenants) == ("2025-10-09T08:53:20Z", None, None)


def test_no_tenants_at_all_is_not_all_tenants() -> None:
    assert token_item(replace(TOKEN, tenants=frozenset()), NOW_NS).tenants == []


def test_a_user_is_told_without_a_password() -> None:
    item = user_item(StoredUser("u", "ada", UserKind.LOCAL, Role.ADMIN, None, NOW_NS, "command line"))
    assert (item.kind, item.role, item.last_login) == ("local", "admin", None)


def test_a_secret_is_never_told() -> None:
    leaking = SettingRow("access.oidc.client_secret", "planted-secret", default="planted-default", is_secret=True)
    assert "planted" not in str(setting_item(leaking))
    assert setting_item(leaking).value == "set"
    assert setting_item(replace(leaking, value="not set")).value == "not set"
    assert setting_item(replace(leaking, value="")).value == "not set"
    assert setting_item(replace(leaking, is_secret=False)).value == "planted-secret"
