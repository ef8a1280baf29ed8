"""Alerts as tables: where they stand, and every transition they made."""

from collections.abc import Sequence

from dashboard.controls import pool_name
from dashboard.house import AlertView, TransitionView
from dashboard.numbers_text import UNKNOWN, ago, load
from dashboard.panels.parts import STATE_ICONS
from dashboard.reasons import told_reason
from dashboard.view import View
from dashboard.widgets import Table, Widget
from vocabulary.pools import SECOND_NS, Pool


def states_table(view: View, alerts: Sequence[AlertView]) -> Widget:
    """One row per rule and pool: state, since, value against its line."""
    say = view.say
    columns = [
        {"text": say("column.state")},
        {"text": say("column.rule")},
        {"text": say("column.pool")},
        {"text": say("column.value"), "align": "right", "title": say("column.value_help")},
        {"text": say("column.line"), "align": "right", "title": say("column.line_help")},
        {"text": say("column.recovery"), "align": "right", "title": say("column.recovery_help")},
        {"text": say("column.since")},
    ]
    rows = [_state(view, alert) for alert in alerts]
    return Table(caption=say("alerts.states"), columns=columns, rows=rows, empty=say("alerts.no_states"))


def _state(view: View, alert: AlertView) -> dict[str, object]:
    say = view.say
    since = view.clock.second(alert.since_ns) if alert.since_ns else ""
    value = {"text": load(alert.value), "sub": say("alerts.no_data") if alert.no_data else ""}
    cells = [
        _state_cell(view, alert.state),
        {"text": alert.rule_id, "title": alert.summary, "sub": say.known("severity", alert.severity)},
        _pool_cell(view, alert.service, alert.model),
        value,
        {"text": load(alert.line), "sub": say.known("line_kind", alert.line_kind)},
        load(alert.recovery_line),
        {"text": _lasted(view, alert), "sub": since},
    ]
    return {"cells": cells}


def brief_table(view: View, alerts: Sequence[AlertView]) -> Widget:
    """The same in four columns, for beside other things."""
    say = view.say
    columns = [
        {"text": say("column.state")},
        {"text": say("column.pool")},
        {"text": say("column.value_line"), "align": "right", "title": say("column.line_help")},
        {"text": say("column.since"), "align": "right"},
    ]
    rows = [{"cells": _brief(view, alert)} for alert in alerts]
    return Table(caption=say("alerts.states"), columns=columns, rows=rows, empty=say("alerts.no_states"))


def _brief(view: View, alert: AlertView) -> list[dict[str, str] | str]:
    say = view.say
    pool = _pool_cell(view, alert.service, alert.model)
    against = f"{load(alert.value)} / {load(alert.line)}"
    kind = say("alerts.no_data") if alert.no_data else say.known("line_kind", alert.line_kind)
    return [
        _state_cell(view, alert.state),
        {**pool, "sub": alert.rule_id, "title": alert.summary, "tone": "two-line"},
        {"text": against, "sub": kind, "tone": "two-line"},
        _lasted(view, alert),
    ]


def _lasted(view: View, alert: AlertView) -> str:
    units = view.say("unit.clock")
    return ago(max(0, view.now_ns - alert.since_ns) / SECOND_NS, units) if alert.since_ns else UNKNOWN


def transitions_table(view: View, transitions: Sequence[TransitionView]) -> Widget:
    """Every stored change of state, newest first, with the lines in force then."""
    say = view.say
    columns = [
        {"text": say("column.time", zone=view.clock.name)},
        {"text": say("column.rule")},
        {"text": say("column.pool")},
        {"text": say("column.from")},
        {"text": say("column.to")},
        {"text": say("column.value"), "align": "right"},
        {"text": say("column.line"), "align": "right", "title": say("column.line_help")},
        {"text": say("column.recovery"), "align": "right"},
        {"text": say("column.reason")},
    ]
    rows = [_transition(view, change) for change in transitions]
    return Table(caption=say("alerts.transitions"), columns=columns, rows=rows, empty=say("alerts.no_transitions"))


def _transition(view: View, change: TransitionView) -> dict[str, object]:
    cells = [
        {"text": view.clock.row(change.at_ns), "title": view.clock.precise(change.at_ns), "tone": "mono"},
        change.rule_id,
        _pool_cell(view, change.service, change.model),
        {"text": view.say.known("state", change.from_state), "tone": "faint"},
        _state_cell(view, change.to_state),
        load(change.value),
        {"text": load(change.line), "sub": view.say.known("line_kind", change.line_kind)},
        load(change.recovery_line),
        {"text": told_reason(change.reason, view.say), "tone": "prose"},
    ]
    return {"cells": cells}


def _state_cell(view: View, state: str) -> dict[str, str]:
    return {
        "text": view.say.known("state", state),
        "icon": STATE_ICONS.get(state, "dot"),
        "tone": f"state state-{state}",
    }


def _pool_cell(view: View, service: str, model: str) -> dict[str, str]:
    return {"text": pool_name(Pool(service, model)), "href": view.address.to("/", {"service": service, "model": model})}
