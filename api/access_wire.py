"""From records of access to shapes: nanoseconds become RFC 3339, sets become sorted lists, secrets stay behind."""

from api.house import Setting
from api.shapes.access import MeItem, SettingItem, TokenItem, UserItem
from api.times import rfc3339
from api.wire import alike
from store.control.access_records import StoredToken, StoredUser
from vocabulary.access import GRANTS, Principal

SET, NOT_SET = "set", "not set"


def me_item(principal: Principal, session_ends_ns: int | None) -> MeItem:
    return MeItem(
        name=principal.name,
        kind=principal.kind,
        role=principal.role,
        permissions=sorted(GRANTS[principal.role]),
        tenants=_listed(principal.tenants),
        session_ends=rfc3339(session_ends_ns),
    )


def token_item(token: StoredToken, now_ns: int) -> TokenItem:
    return alike(
        TokenItem,
        token,
        tenants=_listed(token.tenants),
        state=token.state(now_ns),
        created=rfc3339(token.created_ns),
        expires=rfc3339(token.expires_ns),
        revoked=rfc3339(token.revoked_ns),
        last_used=rfc3339(token.last_used_ns),
    )


def user_item(user: StoredUser) -> UserItem:
    return alike(
        UserItem,
        user,
        tenants=_listed(user.tenants),
        created=rfc3339(user.created_ns),
        last_login=rfc3339(user.last_login_ns),
    )


def setting_item(setting: Setting) -> SettingItem:
    """A secret is never told, whoever made the row and whatever stands in it."""
    is_set = setting.value not in {"", NOT_SET}
    if not setting.is_secret:
        return alike(SettingItem, setting)
    return alike(SettingItem, setting, value=SET if is_set else NOT_SET, default="")


def _listed(tenants: frozenset[str] | None) -> list[str] | None:
    return None if tenants is None else sorted(tenants)
