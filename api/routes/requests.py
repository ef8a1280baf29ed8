"""Requests, one request, one trace."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from analyzer.questions.requests import one_request, one_trace, request_page
from api.answer import Answer
from api.house import ApiHouse
from api.principal import caller
from api.problems import NotFoundError
from api.queries import FilterQuery, PoolQuery, WindowQuery
from api.shapes.requests import RequestDetail, RequestList, TraceItem
from api.wire import request_detail, request_list, trace_item

PAGE = 100
PAGE_MOST = 1000
SPANS_MOST = 10_000
Limit = Annotated[int, Query(ge=1, le=PAGE_MOST, description="Most items on the page.")]
SpanLimit = Annotated[int, Query(ge=1, le=SPANS_MOST, description="Most spans.")]
Cursor = Annotated[str, Query(description="`next` of the page before.")]


@dataclass(frozen=True, slots=True)
class RequestRoutes:
    """Lists and single records."""

    house: ApiHouse

    def page(
        self,
        request: Request,
        window: Annotated[WindowQuery, Depends()],
        pool: Annotated[PoolQuery, Depends()],
        wanted: Annotated[FilterQuery, Depends()],
        limit: Limit = PAGE,
        cursor: Cursor = "",
    ) -> Response:
        """Requests of a window (the last 24 hours if none is given), newest first; production alone by default."""
        within = window.window(self.house.clock_ns(), default_from="now-24h")
        found = request_page(self.house.reader_for(caller(request)), within, wanted.filter(pool), limit, cursor or None)
        return Answer(request_list(found))

    def one(self, request: Request, request_key: str) -> Response:
        """One request by its key, with what was in flight beside it and what it cost."""
        found = one_request(self.house.reader_for(caller(request)), request_key, self.house.services())
        if found is None:
            message = f"No request has the key '{request_key}'; a key is 32 hexadecimal digits."
            raise NotFoundError(message)
        return Answer(request_detail(found))

    def trace(self, request: Request, trace_id: str, limit: SpanLimit = SPANS_MOST) -> Response:
        """Spans of one trace by start time, with canonical fields, raw attributes and where each field came from."""
        found = one_trace(self.house.reader_for(caller(request)), trace_id, limit)
        if found is None:
            message = f"No spans of a trace '{trace_id}'; a trace id is 32 hexadecimal digits."
            raise NotFoundError(message)
        return Answer(trace_item(found))


def add_to(router: APIRouter, house: ApiHouse) -> None:
    routes = RequestRoutes(house)
    router.add_api_route(
        "/api/v1/requests", routes.page, response_model=RequestList, summary="Requests", tags=["requests"]
    )
    router.add_api_route(
        "/api/v1/requests/{request_key}",
        routes.one,
        response_model=RequestDetail,
        summary="One request",
        tags=["requests"],
    )
    router.add_api_route(
        "/api/v1/traces/{trace_id}", routes.trace, response_model=TraceItem, summary="One trace", tags=["requests"]
    )
