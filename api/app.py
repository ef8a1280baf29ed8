"""All routes of the API as one router."""

from fastapi import APIRouter

from api.answer import ApiRoute
from api.house import ApiHouse
from api.routes import access, documents, health, missing, reports, requests, state

__all__ = ["ApiHouse", "api_router"]


def api_router(house: ApiHouse) -> APIRouter:
    """Routes below /api, /healthz and /readyz, and 404 documents for everything else below /api and /v1.

    Include it after all other routes below /v1 and before the dashboard, whose catch-all answers anything.
    """
    router = APIRouter(route_class=ApiRoute, responses=documents.ERRORS)
    for part in (health, requests, reports, state, access, documents):
        part.add_to(router, house)
    missing.add_to(router)
    return router
