"""API tokens: who has one, what it may do, when it ends; an admin makes and revokes them."""

from collections.abc import Sequence
from typing import Any

from dash import html

from dashboard.access_text import tenants_text
from dashboard.forms import expiry_field, form_texts, role_field, row_action, tenants_field, text_field
from dashboard.panels.parts import Node
from dashboard.view import View
from dashboard.widgets import ApiForm, Table, Widget
from store.control.access_records import StoredToken, TokenState
from vocabulary.access import Permission, Role

PATH = "/api/v1/tokens"
_TONES = {
    TokenState.ACTIVE: ("ok", "state state-resolved"),
    TokenState.EXPIRED: ("clock", "state state-pending"),
    TokenState.REVOKED: ("block", "state state-inactive"),
}


def token_table(view: View, tokens: Sequence[StoredToken]) -> Widget:
    """All of them, newest first, those that ended too."""
    say, may_change = view.say, view.principal.may(Permission.ADMINISTER)
    heads = ["name", "role", "tenants", "state", "last_used", "expires", "created"]
    columns = [{"text": say(f"access.{head}")} for head in heads]
    rows = [{"cells": _cells(view, token, may_change=may_change)} for token in tokens]
    return Table(
        id="tokens",
        caption=say("tokens.title"),
        columns=[*columns, {"text": say("access.actions")}] if may_change else columns,
        rows=rows,
        empty=say("tokens.none"),
        filter=say("access.filter"),
        texts=form_texts(say),
    )


def _cells(view: View, token: StoredToken, *, may_change: bool) -> list[dict[str, Any]]:
    say, clock = view.say, view.clock
    state = token.state(view.now_ns)
    icon, tone = _TONES[state]
    cells: list[dict[str, Any]] = [
        {"text": token.name, "sub": token.id},
        {"text": say(f"role.{token.role}")},
        {"text": tenants_text(token.tenants, say), "title": ", ".join(sorted(token.tenants or ()))},
        {"text": say(f"token_state.{state}"), "icon": icon, "tone": tone},
        _time(view, token.last_used_ns, say("access.never")),
        _time(view, token.expires_ns, say("expiry.never")),
        {"text": clock.minute(token.created_ns), "sub": say("access.by", name=token.created_by)},
    ]
    return [*cells, {"actions": _actions(view, token, state)}] if may_change else cells


def _time(view: View, at_ns: int | None, absent: str) -> dict[str, str]:
    return {"text": absent, "tone": "faint"} if at_ns is None else {"text": view.clock.minute(at_ns)}


def _actions(view: View, token: StoredToken, state: TokenState) -> list[dict[str, Any]]:
    if state is not TokenState.ACTIVE:
        return []
    say = view.say
    question = say("tokens.revoke_question", name=token.name)
    return [row_action(say("tokens.revoke"), question, "DELETE", f"{PATH}/{token.id}", is_danger=True)]


def token_form(view: View) -> Node:
    """What an admin fills in for a new one; its text is shown once, where it was made."""
    say = view.say
    reveal = {key: say(f"tokens.{key}") for key in ("made", "once", "dismiss")}
    form = ApiForm(
        id="new-token",
        method="POST",
        path=PATH,
        fields=[
            text_field("name", say("access.name"), hint=say("tokens.name_help")),
            role_field(say, Role.INGEST),
            tenants_field(say, None),
            expiry_field(say),
        ],
        submit=say("tokens.create"),
        texts={**form_texts(say), "done": say("tokens.done")},
        reveal={**reveal, "copy": say("copy.do"), "copied": say("copy.done")},
    )
    return html.Details([html.Summary(say("tokens.new")), form], className="fold")
