"""Settings: who am I, tokens, users, the effective configuration, language and theme."""

import asyncio
from collections.abc import Sequence

from dash import html

from dashboard.panels.appearance import appearance
from dashboard.panels.configuration import changes_table, reload_problems, settings_tables
from dashboard.panels.parts import Node, message, panel
from dashboard.panels.set_up import switch_on
from dashboard.panels.tokens import token_form, token_table
from dashboard.panels.users import user_form, user_table
from dashboard.panels.who_am_i import password_form, who_am_i
from dashboard.view import View
from dashboard.widgets import Changed, Widget
from vocabulary.access import Permission

MOST_CHANGES = 50


async def body(view: View) -> Node:
    """Everybody sees themselves and the looks; tokens, users and the configuration are for those who may."""
    say = view.say
    keeps_password = await asyncio.to_thread(view.house.settings.keeps_password_of, view.principal)
    own = [
        panel(say("appearance.title"), appearance(view)),
        panel(say("password.title"), password_form(view)) if keeps_password else None,
    ]
    return html.Div(
        [
            Changed(id="changed", count=0),
            html.Div([panel(say("who.title"), who_am_i(view)), html.Div(own)], className="columns is-1-1"),
            *await _access(view),
            *await _configuration(view),
        ]
    )


async def lists(view: View) -> tuple[Widget, Widget]:
    """The tables of tokens and users, as they are now."""
    settings = view.house.settings
    tokens, users = await asyncio.gather(asyncio.to_thread(settings.tokens), asyncio.to_thread(settings.users))
    return token_table(view, tokens), user_table(view, users)


def sees_settings(view: View) -> bool:
    """Whether the caller reads tokens, users and configuration: they are about the whole fleet."""
    return view.principal.may(Permission.READ_SETTINGS) and not view.principal.is_limited


async def _off(view: View) -> Node:
    """Access is off, and the lines that switch it on, for the data folder of this server where it is told."""
    rows = await asyncio.to_thread(view.house.settings.settings)
    data = next((row.value for row in rows if row.name == "server.data"), "")
    told = message(view.say("access.off"), view.say("access.off_text"))
    return panel(view.say("access.title"), told, switch_on(view.say, data))


async def _access(view: View) -> Sequence[Node]:
    say = view.say
    if not view.house.settings.access_is_on:
        return [await _off(view)]
    if not sees_settings(view):
        return [panel(say("access.title"), html.P(say("access.not_yours"), className="fine"))]
    tokens, users = await lists(view)
    may_change = view.principal.may(Permission.ADMINISTER)
    note = None if may_change else say("access.read_only")
    return [
        panel(say("tokens.title"), token_form(view) if may_change else None, tokens, note=note),
        panel(say("users.title"), user_form(view) if may_change else None, users, note=note),
    ]


async def _configuration(view: View) -> Sequence[Node]:
    say, settings = view.say, view.house.settings
    if not sees_settings(view):
        return [panel(say("settings.effective"), html.P(say("settings.not_yours"), className="fine"))]
    rows, changes, problems = await asyncio.gather(
        asyncio.to_thread(settings.settings),
        asyncio.to_thread(settings.changes, MOST_CHANGES),
        asyncio.to_thread(settings.reload_problems),
    )
    return [
        panel(say("changes.title"), reload_problems(view, problems), changes_table(view, changes)),
        panel(say("settings.effective"), settings_tables(view, rows), note=say("settings.note")),
    ]
