"""People who may log in; an admin makes, limits, disables and deletes them."""

from collections.abc import Sequence
from typing import Any

from dash import html

from dashboard.access_text import tenants_text
from dashboard.forms import (
    Field,
    form_texts,
    password_field,
    repeated_field,
    role_field,
    row_action,
    tenants_field,
    text_field,
)
from dashboard.panels.parts import Node
from dashboard.view import View
from dashboard.widgets import ApiForm, Table, Widget
from dashboard.wording import Wording
from store.control.access_records import StoredUser, UserKind
from vocabulary.access import Permission, Role

PATH = "/api/v1/users"
_ENABLED = ("ok", "state state-resolved", "enabled")
_DISABLED = ("block", "state state-inactive", "disabled")


def user_table(view: View, users: Sequence[StoredUser]) -> Widget:
    """All of them by name."""
    say, may_change = view.say, view.principal.may(Permission.ADMINISTER)
    heads = ["name", "role", "tenants", "state", "last_login", "created"]
    columns = [{"text": say(f"access.{head}")} for head in heads]
    rows = [{"cells": _cells(view, user, may_change=may_change)} for user in users]
    return Table(
        id="users",
        caption=say("users.title"),
        columns=[*columns, {"text": say("access.actions")}] if may_change else columns,
        rows=rows,
        empty=say("users.none"),
        filter=say("access.filter"),
        texts=form_texts(say),
    )


def _cells(view: View, user: StoredUser, *, may_change: bool) -> list[dict[str, Any]]:
    say, clock, seen_ns = view.say, view.clock, user.last_login_ns
    icon, tone, state = _DISABLED if user.is_disabled else _ENABLED
    seen = {"text": say("access.never"), "tone": "faint"} if seen_ns is None else {"text": clock.minute(seen_ns)}
    provider = {"sub": say("users.oidc", issuer=user.issuer)} if user.kind is UserKind.OIDC else {}
    cells: list[dict[str, Any]] = [
        {"text": user.name, **provider},
        {"text": say(f"role.{user.role}")},
        {"text": tenants_text(user.tenants, say), "title": ", ".join(sorted(user.tenants or ()))},
        {"text": say(f"user_state.{state}"), "icon": icon, "tone": tone},
        seen,
        {"text": clock.minute(user.created_ns), "sub": say("access.by", name=user.created_by)},
    ]
    return [*cells, {"actions": _actions(say, user)}] if may_change else cells


def _actions(say: Wording, user: StoredUser) -> list[dict[str, Any]]:
    """What may be done; role, tenants and password of a provider's users are the provider's, told at each log-in."""
    path, name, is_off = f"{PATH}/{user.id}", user.name, user.is_disabled
    turn = "enable" if is_off else "disable"
    actions = [
        row_action(
            say(f"users.{turn}"), say(f"users.{turn}_question", name=name), "PATCH", path,
            is_danger=not is_off, is_disabled=not is_off,
        ),
        row_action(say("users.delete"), say("users.delete_question", name=name), "DELETE", path, is_danger=True),
    ]  # fmt: skip
    return actions if user.kind is UserKind.OIDC else [*_local_actions(say, user, path), *actions]


def _local_actions(say: Wording, user: StoredUser, path: str) -> list[dict[str, Any]]:
    rights = [role_field(say, user.role), tenants_field(say, user.tenants)]
    return [
        row_action(say("users.change"), say("users.change_question", name=user.name), "PATCH", path, fields=rights),
        row_action(
            say("users.password"), say("users.password_question", name=user.name), "PATCH", path,
            fields=new_password_fields(say, "password"),
        ),
    ]  # fmt: skip


def new_password_fields(say: Wording, name: str) -> list[Field]:
    """A new password, twice."""
    return [
        password_field(name, say("password.new"), is_new=True, hint=say("password.help")),
        repeated_field(name, say("password.again")),
    ]


def user_form(view: View) -> Node:
    """What an admin fills in for somebody new."""
    say = view.say
    form = ApiForm(
        id="new-user",
        method="POST",
        path=PATH,
        fields=[
            text_field("name", say("access.name"), hint=say("users.name_help")),
            role_field(say, Role.VIEWER),
            tenants_field(say, None),
            *new_password_fields(say, "password"),
        ],
        submit=say("users.create"),
        texts={**form_texts(say), "done": say("users.done")},
    )
    return html.Details([html.Summary(say("users.new")), form], className="fold")
