"""Where alerts stand, what was changed, and how far an import has come."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from api.answer import Answer
from api.change_wire import change_list
from api.house import ApiHouse
from api.principal import caller
from api.queries import WindowQuery
from api.shapes.changes import ChangeList
from api.shapes.state import AlertList, ImportItem
from api.wire import alert_item, transition_item

Limit = Annotated[int, Query(ge=1, le=1000, description="Most transitions.")]
ChangeLimit = Annotated[int, Query(ge=1, le=1000, description="Most change events.")]


@dataclass(frozen=True, slots=True)
class StateRoutes:
    """What the server itself is doing."""

    house: ApiHouse

    def alerts(self, limit: Limit = 100) -> Response:
        """Where every alert stands, and the latest transitions, newest first."""
        book = self.house.alerts
        items = [alert_item(alert) for alert in book.states()]
        return Answer(AlertList(items, [transition_item(step) for step in book.transitions(limit)]))

    def changes(
        self, request: Request, window: Annotated[WindowQuery, Depends()], limit: ChangeLimit = 100
    ) -> Response:
        """What was changed in a window, the last 14 days if none is given; newest first."""
        within = window.window(self.house.clock_ns(), default_from="now-14d")
        found = self.house.reader_for(caller(request)).changes(within, limit + 1)
        return Answer(change_list(found, limit))

    def progress(self, request: Request, import_id: str) -> Response:
        """Rows of an import that are stored; 0 for one never seen, so that a new import can start by asking."""
        return Answer(ImportItem(import_id, self.house.reader_for(caller(request)).import_progress(import_id)))


def add_to(router: APIRouter, house: ApiHouse) -> None:
    routes = StateRoutes(house)
    router.add_api_route("/api/v1/alerts", routes.alerts, response_model=AlertList, summary="Alerts", tags=["alerts"])
    router.add_api_route(
        "/api/v1/changes", routes.changes, response_model=ChangeList, summary="Change events", tags=["changes"]
    )
    router.add_api_route(
        "/api/v1/imports/{import_id}",
        routes.progress,
        response_model=ImportItem,
        summary="Import progress",
        tags=["imports"],
    )
