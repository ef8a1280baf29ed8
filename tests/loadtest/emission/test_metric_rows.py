"""Rows wait by source, and each is taken once."""

from loadtest.emission import wire
from loadtest.emission.metric_rows import MetricRows, MetricSource
from loadtest.emission.metric_wire import MetricLayout, Series
from tests.factories.emissions import metrics_in, points_of, value_of

ORIGIN_NS = 1_700_000_000_000_000_000
LAYOUT = MetricLayout([Series("seen", "1", "counter")])


def source() -> MetricSource:
    return MetricSource(wire.resource({"service.name": "s"}), wire.scope("x", ""), LAYOUT, 30.0)


def filled() -> MetricRows:
    rows = MetricRows(ORIGIN_NS)
    for at_s in (60.0, 120.0, 180.0):
        rows.add("a", at_s, (at_s,), source)
    rows.add("b", 60.0, (1.0,), source)
    return rows


def test_a_body_holds_the_rows_of_one_source_until_then() -> None:
    bodies = filled().take(120.0)
    assert [(body.points, body.spans, body.until_s, body.signal) for body in bodies] == [
        (2, 0, 120.0, "metrics"),
        (1, 0, 120.0, "metrics"),
    ]
    points = [point for _, metric in metrics_in(bodies[:1]) for point in points_of(metric)]
    assert [value_of(point) for point in points] == [60.0, 120.0]
    assert [point.time_unix_nano for point in points] == [ORIGIN_NS + 60 * 10**9, ORIGIN_NS + 120 * 10**9]
    assert {point.start_time_unix_nano for point in points} == {ORIGIN_NS + 30 * 10**9}


def test_each_row_is_taken_once() -> None:
    rows = filled()
    taken = [sum(body.points for body in rows.take(until_s)) for until_s in (60.0, 60.0, 500.0, 500.0)]
    assert taken == [2, 0, 2, 0]
