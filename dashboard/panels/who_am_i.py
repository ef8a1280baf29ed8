"""Who the reader is to this server, what that allows, and the reader's own password."""

from dash import html

from dashboard.access_text import grants_text, tenants_text
from dashboard.forms import form_texts, password_field
from dashboard.panels.parts import Node, facts
from dashboard.panels.users import new_password_fields
from dashboard.view import View
from dashboard.widgets import ApiForm, Widget

PASSWORD_PATH = "/api/v1/me/password"  # noqa: S105 - a path, no secret


def who_am_i(view: View) -> html.Dl:
    """Name, kind, role in words, permissions, tenants, end of the session."""
    say, who = view.say, view.principal
    rows: list[tuple[str, Node]] = [
        (say("access.name"), html.Code(who.name)),
        (say("access.kind"), say(f"kind.{who.kind}")),
        (say("access.role"), f"{say(f'role.{who.role}')} · {say(f'role_for.{who.role}')}"),
        (say("access.may"), grants_text(who.role, say)),
        (say("access.tenants"), tenants_text(who.tenants, say, most=50)),
    ]
    if view.session_ends_ns is not None:
        rows.append((say("access.session_ends"), view.clock.minute(view.session_ends_ns)))
    return facts(rows)


def password_form(view: View) -> Widget:
    """The old one and the new one twice; afterwards every session of the reader has ended."""
    say = view.say
    return ApiForm(
        id="own-password",
        method="POST",
        path=PASSWORD_PATH,
        fields=[password_field("old", say("password.old"), is_new=False), *new_password_fields(say, "new")],
        submit=say("password.change"),
        texts={**form_texts(say), "done": say("password.done")},
    )
