"""From answers to shapes: nanoseconds become RFC 3339, everything else keeps its name."""

from dataclasses import fields
from typing import Any, TypeVar

from analyzer.questions.answers import (
    Basis,
    Ledger,
    Quantiles,
    RequestPage,
    RequestRecord,
    SpanRecord,
    TierReport,
    TierRow,
    TraceRecord,
)
from api.house import Alert, Transition
from api.shapes.reports import (
    BasisItem,
    LatencyItem,
    LedgerItem,
    LoadTestItem,
    PoolActivityItem,
    PoolItem,
    TierItem,
    TierReportItem,
    WindowItem,
)
from api.shapes.requests import (
    CostItem,
    EventItem,
    LinkItem,
    RequestDetail,
    RequestItem,
    RequestList,
    SpanItem,
    TraceItem,
)
from api.shapes.state import AlertItem, TransitionItem
from api.times import rfc3339
from store.contract import LoadTest, PoolActivity
from vocabulary.pools import Window

Shape = TypeVar("Shape")


def alike(shape: type[Shape], source: object, **changed: Any) -> Shape:
    """A `shape` with `changed` fields, the others taken from the source's attributes of the same name."""
    same = [field.name for field in fields(shape) if field.name not in changed]  # type: ignore[arg-type]
    return shape(**changed, **{name: getattr(source, name) for name in same})


def window_item(window: Window) -> WindowItem:
    return WindowItem(rfc3339(window.start_ns), rfc3339(window.end_ns))


def request_list(page: RequestPage) -> RequestList:
    return RequestList([_request(RequestItem, record) for record in page.items], page.next)


def request_detail(record: RequestRecord) -> RequestDetail:
    cost = None if record.cost is None else alike(CostItem, record.cost)
    return _request(RequestDetail, record, cost=cost)


def _request(shape: type[Shape], record: RequestRecord, **changed: Any) -> Shape:
    return alike(shape, record, start=rfc3339(record.start_ns), end=rfc3339(record.end_ns), **changed)


def trace_item(trace: TraceRecord) -> TraceItem:
    return TraceItem(trace.trace_id, [_span(span) for span in trace.spans], trace.is_partial)


def _span(span: SpanRecord) -> SpanItem:
    """A start of 0 is one that the emitter did not tell."""
    events: list[dict[str, Any]] = [dict(event) for event in span.events]
    links: list[dict[str, Any]] = [dict(link) for link in span.links]
    return alike(
        SpanItem,
        span,
        start=rfc3339(span.start_ns or None),
        end=rfc3339(span.end_ns),
        events=[EventItem(rfc3339(event["time_ns"]), event["name"], event["attributes"]) for event in events],
        links=[LinkItem(**link) for link in links],
    )


def tier_report_item(report: TierReport) -> TierReportItem:
    return alike(
        TierReportItem,
        report,
        pool=PoolItem(report.pool.service, report.pool.model),
        basis=basis_item(report.basis),
        rows=[_tier(row) for row in report.rows],
    )


def _tier(row: TierRow) -> TierItem:
    return alike(TierItem, row, e2e=latency_item(row.e2e), ttft=latency_item(row.ttft))


def latency_item(found: Quantiles) -> LatencyItem:
    return LatencyItem(found.count, found.p50, found.p95, found.p99)


def basis_item(basis: Basis) -> BasisItem:
    return alike(BasisItem, basis, window=window_item(basis.window), watermark=rfc3339(basis.watermark_ns))


def ledger_item(ledger: Ledger) -> LedgerItem:
    return alike(LedgerItem, ledger, window=window_item(ledger.window))


def pool_activity_item(activity: PoolActivity) -> PoolActivityItem:
    return PoolActivityItem(
        activity.pool.service,
        activity.pool.model,
        activity.requests,
        rfc3339(activity.first_ns),
        rfc3339(activity.last_ns),
    )


def load_test_item(run: LoadTest) -> LoadTestItem:
    return alike(
        LoadTestItem,
        run,
        service=run.pool.service,
        model=run.pool.model,
        first=rfc3339(run.first_ns),
        last=rfc3339(run.last_ns),
    )


def alert_item(alert: Alert) -> AlertItem:
    return alike(AlertItem, alert, since=rfc3339(alert.since_ns), updated=rfc3339(alert.updated_ns or None))


def transition_item(transition: Transition) -> TransitionItem:
    return alike(TransitionItem, transition, at=rfc3339(transition.at_ns))
