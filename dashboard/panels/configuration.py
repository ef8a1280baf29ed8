"""The configuration as it holds, what changed in it while the server ran, and what could not be adopted."""

from collections.abc import Sequence
from itertools import groupby

from dash import html

from dashboard.house import ChangeRow, SettingRow
from dashboard.numbers_text import UNKNOWN
from dashboard.panels.parts import Node, message
from dashboard.view import View
from dashboard.widgets import Table, Widget
from dashboard.wording import Wording


def settings_tables(view: View, rows: Sequence[SettingRow]) -> Node:
    """One table per group of settings: value with its origin, default with its unit, and what it does."""
    say = view.say
    if not rows:
        return html.P(say("settings.none"), className="fine")
    groups = groupby(rows, key=lambda row: row.name.partition(".")[0])
    return html.Div(
        [html.Section([html.H3(html.Code(group)), _table(say, group, list(found))]) for group, found in groups],
        className="setting-groups",
    )


def _table(say: Wording, group: str, rows: Sequence[SettingRow]) -> Widget:
    heads = ("setting", "value", "default", "sentence")
    return Table(
        caption=f"{say('settings.effective')}: {group}",
        columns=[{"text": say(f"settings.{head}")} for head in heads],
        rows=[{"cells": _cells(say, row)} for row in rows],
    )


def _cells(say: Wording, row: SettingRow) -> list[dict[str, str]]:
    at_once = "" if row.restart_needed else say("settings.at_once")
    return [
        {"text": row.name, "tone": "mono"},
        {"text": _value(say, row, row.value), "sub": say.known("origin", row.origin), "tone": "mono prose"},
        {"text": _value(say, row, row.default), "sub": say.known("unit", row.unit), "tone": "mono prose"},
        {"text": row.sentence, "sub": at_once, "tone": "prose"},
    ]


def _value(say: Wording, row: SettingRow, value: str) -> str:
    """Secrets come as `set` or `not set` and are said so in the reader's language."""
    return say.known("secret", value) if row.is_secret else value or UNKNOWN


def changes_table(view: View, changes: Sequence[ChangeRow]) -> Widget:
    """What was adopted or refused while the server ran, newest first."""
    say = view.say
    columns = [{"text": say("column.time", zone=view.clock.name)}]
    columns += [{"text": say(f"changes.{head}")} for head in ("subject", "summary", "actor")]
    rows = [
        {
            "cells": [
                {"text": view.clock.row(change.at_ns), "title": view.clock.precise(change.at_ns), "tone": "mono"},
                {"text": change.subject, "tone": "mono"},
                {"text": change.summary, "tone": "prose"},
                change.actor or UNKNOWN,
            ]
        }
        for change in changes
    ]
    return Table(caption=say("changes.title"), columns=columns, rows=rows, empty=say("changes.none"))


def reload_problems(view: View, problems: Sequence[str]) -> Node:
    """Files that changed and could not be adopted: the old ones hold on."""
    if not problems:
        return None
    return message(view.say("changes.problems"), html.Ul([html.Li(problem) for problem in problems]), "bad")
