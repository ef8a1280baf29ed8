from typing import Any

from dashboard.panels.users import user_form, user_table
from dashboard.view import View
from store.control.access_records import UserKind
from tests.dashboard.looking import NoReader, house_of, of_type, view_of, words
from tests.dashboard.people import ADA, OTTO, user
from tests.dashboard.scenery import NOW_NS
from vocabulary.access import Principal, Role

USERS = [
    user("ada", Role.ADMIN, last_login_ns=NOW_NS),
    user("gone", is_disabled=True),
    user("sso", kind=UserKind.OIDC, issuer="https://login.example.com"),
]


def seen_by(principal: Principal) -> View:
    return view_of("/settings", house_of(NoReader(), principal=principal))


def actions() -> dict[str, dict[str, Any]]:
    rows = user_table(seen_by(ADA), USERS).rows
    return {row["cells"][0]["text"]: {one["text"]: one for one in row["cells"][-1]["actions"]} for row in rows}


def test_every_user_tells_role_state_and_last_log_in() -> None:
    shown = words(user_table(seen_by(OTTO), USERS))
    assert "ada admin all tenants enabled 2026-11-30 13:00 UTC" in shown
    assert "gone viewer all tenants disabled never" in shown
    assert "sso from https://login.example.com" in shown
    assert "Actions" not in shown


def test_an_admin_changes_local_users_and_leaves_a_providers_rights_to_it() -> None:
    found = actions()
    assert list(found["ada"]) == ["Change rights", "Set password", "Disable", "Delete"]
    assert list(found["gone"]) == ["Change rights", "Set password", "Enable", "Delete"]
    assert list(found["sso"]) == ["Disable", "Delete"]


def test_a_change_goes_to_the_user_it_is_about_with_what_the_api_takes() -> None:
    found = actions()
    assert {one["path"] for one in found["ada"].values()} == {"/api/v1/users/id-ada"}
    assert found["ada"]["Disable"]["fixed"] == {"is_disabled": True}
    assert found["gone"]["Enable"]["fixed"] == {"is_disabled": False}
    assert [field["name"] for field in found["ada"]["Change rights"]["fields"]] == ["role", "tenants"]
    assert [field["value"] for field in found["ada"]["Change rights"]["fields"]] == ["admin", None]
    sent = [field["name"] for field in found["ada"]["Set password"]["fields"] if "same_as" not in field]
    assert sent == ["password"]


def test_somebody_new_gets_a_role_tenants_and_a_password() -> None:
    (form,) = of_type(user_form(seen_by(ADA)), "ApiForm")
    assert [field["name"] for field in form.fields] == ["name", "role", "tenants", "password", "password_again"]
