"""Tokens, users, settings and oneself over HTTP; attacks on the real thing are in tests/paths."""

import dataclasses
from typing import Any

import pytest
from fastapi import FastAPI

from api.house import ApiHouse
from tests.api.administration import Registry
from tests.api.conftest import Ask, SettingRow, Switchboard, application, asking, somebody
from vocabulary.access import PrincipalKind, Role

TOKEN: dict[str, Any] = {"name": "gateway", "role": "ingest"}
USER: dict[str, Any] = {"name": "bob", "role": "viewer", "tenants": ["a"], "password": "correct horse battery"}


@dataclasses.dataclass(frozen=True)
class Session:
    """As the layer leaves it beside the principal."""

    max_age_s: int


@pytest.fixture
def admin(app: FastAPI) -> Ask:
    return asking(app, somebody(Role.ADMIN), session=Session(3600))


def test_a_caller_learns_who_they_are(admin: Ask, ask: Ask) -> None:
    me = admin("/api/v1/me").json()
    assert (me["name"], me["role"], me["session_ends"]) == ("ada", "admin", "2025-10-09T10:53:00Z")
    assert ask("/api/v1/me").json()["name"] == "anonymous@loopback"
    assert ask("/api/v1/me").json()["session_ends"] is None


def test_a_new_token_is_told_once(admin: Ask, registry: Registry) -> None:
    made = admin("/api/v1/tokens", "POST", json=TOKEN | {"expires": "2026-01-01T00:00:00Z"})
    assert made.status_code == 201
    assert made.json()["text"] == "pkl_text"
    assert made.json()["token"]["expires"] == "2026-01-01T00:00:00Z"
    assert registry.told == [("create_token", "ada")]
    listed = admin("/api/v1/tokens")
    assert listed.json()["items"] == [made.json()["token"]]
    assert "pkl_text" not in listed.text


def test_tenants_of_a_token_are_kept_apart_from_none(admin: Ask, registry: Registry) -> None:
    for tenants in (None, [], ["b", "a"]):
        admin("/api/v1/tokens", "POST", json=TOKEN | {"role": "viewer", "tenants": tenants})
    assert [token.tenants for token in registry.all_tokens] == [frozenset({"a", "b"}), frozenset(), None]


def test_a_time_that_is_none_is_told_with_its_field(admin: Ask, registry: Registry) -> None:
    refused = admin("/api/v1/tokens", "POST", json=TOKEN | {"expires": "tomorrow"})
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["field"] == "expires"
    assert registry.told == []


def test_a_token_is_revoked_by_its_id(admin: Ask) -> None:
    made = admin("/api/v1/tokens", "POST", json=TOKEN).json()["token"]
    revoked = admin(f"/api/v1/tokens/{made['id']}", "DELETE")
    assert (revoked.status_code, revoked.json()["state"]) == (200, "revoked")
    assert admin(f"/api/v1/tokens/{made['id']}", "DELETE").status_code == 200
    assert admin("/api/v1/tokens/never", "DELETE").status_code == 404


def test_a_user_is_made_changed_and_removed(admin: Ask, registry: Registry) -> None:
    made = admin("/api/v1/users", "POST", json=USER)
    assert (made.status_code, made.json()["tenants"]) == (201, ["a"])
    assert "horse" not in made.text
    at = f"/api/v1/users/{made.json()['id']}"
    changed = admin(at, "PATCH", json={"role": "operator", "tenants": None, "is_disabled": True}).json()
    assert (changed["role"], changed["tenants"], changed["is_disabled"]) == ("operator", None, True)
    assert admin(at, "PATCH", json={"is_disabled": False}).json()["role"] == "operator"
    assert admin(at, "PATCH", json={"password": "another good one"}).status_code == 200
    assert registry.passwords == {made.json()["id"]: "another good one"}
    assert [user["name"] for user in admin("/api/v1/users").json()["items"]] == ["bob"]
    removed = admin(at, "DELETE")
    assert (removed.status_code, removed.content) == (204, b"")
    assert admin("/api/v1/users").json()["items"] == []
    assert {by for _, by in registry.told} == {"ada"}


@pytest.mark.parametrize("body", [{}, {"password": "another good one", "role": "admin"}])
def test_a_change_of_nothing_or_of_two_kinds_is_refused(admin: Ask, registry: Registry, body: dict[str, str]) -> None:
    at = f"/api/v1/users/{admin('/api/v1/users', 'POST', json=USER).json()['id']}"
    assert admin(at, "PATCH", json=body).status_code == 400
    assert [verb for verb, _ in registry.told] == ["create_user"]


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_a_user_that_does_not_exist_is_a_404(admin: Ask, method: str) -> None:
    response = admin("/api/v1/users/nobody", method, json={"role": "admin"})
    assert (response.status_code, response.json()["type"]) == (404, "urn:peakline:problem:not-found")


def test_a_name_that_is_taken_is_told_in_words(admin: Ask) -> None:
    admin("/api/v1/users", "POST", json=USER)
    taken = admin("/api/v1/users", "POST", json=USER)
    assert (taken.status_code, taken.json()["detail"]) == (400, "The name bob is taken.")


def test_ones_own_password_is_changed_with_the_old_one(admin: Ask, registry: Registry) -> None:
    registry.passwords["u-ada"] = "old"
    assert admin("/api/v1/me/password", "POST", json={"old": "wrong", "new": "n"}).status_code == 400
    done = admin("/api/v1/me/password", "POST", json={"old": "old", "new": "n"})
    assert (done.status_code, registry.passwords["u-ada"]) == (204, "n")
    assert registry.told[0] == ("change_own_password", "127.0.0.1")


def test_too_many_attempts_are_told_with_the_seconds_to_wait(admin: Ask, registry: Registry) -> None:
    registry.passwords["u-ada"], registry.attempts_left = "old", 0
    response = admin("/api/v1/me/password", "POST", json={"old": "old", "new": "n"})
    assert (response.status_code, response.headers["retry-after"]) == (429, "42")


def test_a_token_has_no_password(app: FastAPI, registry: Registry) -> None:
    ask = asking(app, somebody(Role.ADMIN, kind=PrincipalKind.TOKEN))
    assert ask("/api/v1/me/password", "POST", json={"old": "a", "new": "b"}).status_code == 400
    assert registry.told == []


def test_an_auditor_reads_and_changes_nothing(app: FastAPI, registry: Registry) -> None:
    ask = asking(app, somebody(Role.AUDITOR))
    for path in ("/api/v1/tokens", "/api/v1/users", "/api/v1/settings"):
        assert ask(path).status_code == 200
    assert ask("/api/v1/tokens", "POST", json=TOKEN).status_code == 403
    assert ask("/api/v1/users", "POST", json=USER).status_code == 403
    assert registry.told == []


def test_an_admin_of_some_tenants_administers_nobody(app: FastAPI, registry: Registry) -> None:
    ask = asking(app, somebody(Role.ADMIN, frozenset({"a"})))
    assert ask("/api/v1/tokens", "POST", json=TOKEN).status_code == 403
    assert ask("/api/v1/users").status_code == 403
    assert registry.told == []


def test_settings_are_told_without_secrets(admin: Ask, board: Switchboard) -> None:
    board.settings = [
        SettingRow("server.port", "8600", "peakline.yaml:3", "8600", "", "Port."),
        SettingRow("access.oidc.client_secret", "planted-secret", "environment", is_secret=True),
    ]
    response = admin("/api/v1/settings")
    assert [item["value"] for item in response.json()["items"]] == ["8600", "set"]
    assert response.json()["items"][0]["origin"] == "peakline.yaml:3"
    assert "planted" not in response.text


def test_with_access_off_there_are_no_tokens_and_users_and_the_answer_says_how_to_switch_it_on(house: ApiHouse) -> None:
    ask = asking(application(dataclasses.replace(house, administration=None)))
    for method, path, body in (
        ("GET", "/api/v1/tokens", None),
        ("POST", "/api/v1/tokens", TOKEN),
        ("DELETE", "/api/v1/tokens/x", None),
        ("GET", "/api/v1/users", None),
        ("POST", "/api/v1/users", USER),
        ("PATCH", "/api/v1/users/x", {"role": "admin"}),
        ("DELETE", "/api/v1/users/x", None),
        ("POST", "/api/v1/me/password", {"old": "a", "new": "b"}),
    ):
        response = ask(path, method, json=body)
        assert response.status_code == 409, path
        assert "peakline users create NAME --role admin" in response.json()["detail"]
    assert ask("/api/v1/me").json()["role"] == "admin"
    assert ask("/api/v1/settings").status_code == 200
