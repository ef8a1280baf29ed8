"""Alerts: where every rule stands, and every transition it made."""

import asyncio

from dash import html

from dashboard.panels.alert_tables import states_table, transitions_table
from dashboard.panels.parts import Node, panel
from dashboard.view import View

MOST_TRANSITIONS = 200


def refresh_s(_view: View) -> int:
    """States change within seconds."""
    return 5


async def body(view: View) -> Node:
    """States above, transitions below."""
    alerts = view.house.alerts
    states, transitions = await asyncio.gather(
        asyncio.to_thread(alerts.states), asyncio.to_thread(alerts.transitions, MOST_TRANSITIONS)
    )
    say = view.say
    note = say("alerts.transitions_note", shown=len(transitions), most=MOST_TRANSITIONS)
    return html.Div(
        [
            panel(say("alerts.states"), states_table(view, states), note=say("alerts.states_note")),
            panel(say("alerts.transitions"), transitions_table(view, transitions), note=note),
        ]
    )
