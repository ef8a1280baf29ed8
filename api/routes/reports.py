"""Reports over pools and load tests, the ledger, and which pools and load tests there are."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from analyzer.questions.ledgers import ledger
from analyzer.questions.pools import chosen_load_test, chosen_pool, load_tests, pools, window_of
from analyzer.questions.tiers import tier_report
from api.answer import Answer
from api.house import ApiHouse
from api.principal import caller
from api.problems import NotFoundError
from api.queries import PoolQuery, WindowQuery
from api.shapes.reports import LedgerItem, LoadTestList, PoolList, TierReportItem
from api.wire import ledger_item, load_test_item, pool_activity_item, tier_report_item

REFERENCE_PERIOD = "now-14d"
LoadTestName = Annotated[str, Query(description="Load test: a row per step instead of one per load tier.")]


@dataclass(frozen=True, slots=True)
class ReportRoutes:
    """Answers over many requests."""

    house: ApiHouse

    def tiers(
        self,
        request: Request,
        window: Annotated[WindowQuery, Depends()],
        pool: Annotated[PoolQuery, Depends()],
        load_test: LoadTestName = "",
    ) -> Response:
        """Defects per traffic tier of a pool over the last 14 days, or per step of a load test.

        The pool may be left out where only one has requests in the window, the window where a load test is named.
        """
        reader, services = self.house.reader_for(caller(request)), self.house.services()
        pending = self.house.pending_minutes()
        within = window.window(self.house.clock_ns(), default_from=REFERENCE_PERIOD)
        if not load_test:
            chosen = chosen_pool(reader, within, pool.service, pool.model)
            report = tier_report(reader, chosen, within, pending_minutes=pending, services=services)
            return Answer(tier_report_item(report))
        run = chosen_load_test(reader, load_test, pool.service, pool.model)
        if run is None:
            message = f"No load test is named '{load_test}'; /api/v1/loadtests lists them."
            raise NotFoundError(message)
        asked = within if window.is_given else window_of(run)
        report = tier_report(reader, run.pool, asked, load_test=load_test, pending_minutes=pending, services=services)
        return Answer(tier_report_item(report))

    def ledger(self, request: Request, window: Annotated[WindowQuery, Depends()]) -> Response:
        """What became of every request and of every record in a window, the last 24 hours if none is given."""
        within = window.window(self.house.clock_ns(), default_from="now-24h")
        return Answer(ledger_item(ledger(self.house.reader_for(caller(request)), within)))

    def pools(self, request: Request, window: Annotated[WindowQuery, Depends()]) -> Response:
        """Pools with production requests in a window, the last 14 days if none is given; busiest first."""
        within = window.window(self.house.clock_ns(), default_from=REFERENCE_PERIOD)
        found = pools(self.house.reader_for(caller(request)), within)
        return Answer(PoolList([pool_activity_item(pool) for pool in found]))

    def load_tests(self, request: Request) -> Response:
        """All load tests, newest first."""
        found = load_tests(self.house.reader_for(caller(request)))
        return Answer(LoadTestList([load_test_item(run) for run in found]))


def add_to(router: APIRouter, house: ApiHouse) -> None:
    routes = ReportRoutes(house)
    router.add_api_route(
        "/api/v1/reports/tiers", routes.tiers, response_model=TierReportItem, summary="Tier report", tags=["reports"]
    )
    router.add_api_route("/api/v1/ledger", routes.ledger, response_model=LedgerItem, summary="Ledger", tags=["reports"])
    router.add_api_route("/api/v1/pools", routes.pools, response_model=PoolList, summary="Pools", tags=["reports"])
    router.add_api_route(
        "/api/v1/loadtests", routes.load_tests, response_model=LoadTestList, summary="Load tests", tags=["reports"]
    )
