"""Is the server alive, ready, and how is it?"""

from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import Response

from api.answer import Answer
from api.house import ApiHouse
from api.shapes.state import HealthItem, ReadyItem
from api.times import rfc3339
from vocabulary.errors import StoreUnavailableError
from vocabulary.pools import SECOND_NS


@dataclass(frozen=True, slots=True)
class HealthRoutes:
    """Three depths of the same question."""

    house: ApiHouse

    def alive(self) -> Response:
        """The process answers; says nothing of the store."""
        return Answer(ReadyItem("alive"))

    def ready(self) -> Response:
        """The store answers too; 503 while it does not."""
        if not self.house.store_healthy():
            message = "The store does not answer at the moment."
            raise StoreUnavailableError(message)
        return Answer(ReadyItem("ready"))

    def health(self) -> Response:
        """Version, uptime, the store's state, how far rollups are behind and what fails beside the requests."""
        healthy, failing = self.house.store_healthy(), list(self.house.failing())
        now_ns = self.house.clock_ns()
        return Answer(
            HealthItem(
                status="ok" if healthy and not failing else "degraded",
                store="ok" if healthy else "unavailable",
                version=self.house.version,
                now=rfc3339(now_ns),
                started=rfc3339(self.house.started_ns),
                uptime_s=(now_ns - self.house.started_ns) / SECOND_NS,
                pending_minutes=self.house.pending_minutes(),
                failing=failing,
            )
        )


def add_to(router: APIRouter, house: ApiHouse) -> None:
    routes = HealthRoutes(house)
    router.add_api_route("/healthz", routes.alive, response_model=ReadyItem, summary="Alive", tags=["health"])
    router.add_api_route("/readyz", routes.ready, response_model=ReadyItem, summary="Ready", tags=["health"])
    router.add_api_route("/api/v1/health", routes.health, response_model=HealthItem, summary="Health", tags=["health"])
