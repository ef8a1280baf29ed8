"""The overview: load and defect rate over time."""

import numpy as np
import pyarrow as pa

from analyzer.questions.answers import Overview, OverviewPoint
from analyzer.questions.bases import basis_of
from analyzer.questions.cells import Integers, Numbers
from analyzer.questions.rates import best_of, rate, rates, status_of
from analyzer.questions.replicas import replicas_are_unknown
from store.contract import TelemetryReader
from vocabulary.outcomes import Outcome
from vocabulary.pools import MINUTE_NS, SECOND_NS, Pool, Window

METHOD = "overview"
VERSION = 1
MOST_POINTS = 360
BUCKETS_S = (60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400)
"""Widths a person can read off an axis, in seconds."""
SHORTEST_S = 10.0
"""A bucket that has lasted less than this says nothing about a rate of arrival; it counts as this long."""


def overview(
    reader: TelemetryReader,
    pool: Pool | None,
    window: Window,
    *,
    pending_minutes: int = 0,
    now_ns: int | None = None,
) -> Overview:
    """Load per ready replica and defect rate in at most 360 buckets; production only.

    pool    None for all pools together
    now_ns  when the question is asked; None when the window ends now
    raises  what `reader` raises
    """
    bucket_s = bucket_width(window)
    series = reader.minute_series(pool, window, bucket_s)
    at_ns = _integers(series, "bucket_ns")
    requests = _integers(series, "requests")
    known = requests - _integers(series, f"outcome_{Outcome.UNKNOWN}")
    defective = _integers(series, "defective")
    lasting_s = _lasting_s(at_ns, bucket_s, window, window.end_ns if now_ns is None else now_ns)
    replicas = np.maximum(np.asarray(series["replicas_ready"].to_numpy(), dtype=np.float64), 1)
    load = requests / lasting_s / replicas
    points = [
        OverviewPoint(*values)
        for values in zip(at_ns.tolist(), load.tolist(), requests.tolist(), rates(known, defective), strict=True)
    ]
    total = rate(int(known.sum()), int(defective.sum()))
    return Overview(
        pool=pool,
        bucket_s=bucket_s,
        points=points,
        total=total,
        basis=basis_of(
            METHOD, VERSION, window, at_ns, int(requests.sum()), pending_minutes, width_ns=bucket_s * SECOND_NS
        ),
        status=best_of([status_of(int(requests.sum()), total.requests)]),
        is_per_pool=pool is not None and replicas_are_unknown(reader, pool, window, replicas),
    )


def bucket_width(window: Window) -> int:
    """Seconds per bucket, so that the window's ends included there are at most 360; a multiple of 60."""
    least = window.seconds / (MOST_POINTS - 1)
    day = BUCKETS_S[-1]
    return next((width for width in BUCKETS_S if width >= least), day * int(np.ceil(least / day)))


def _integers(series: pa.Table, name: str) -> Integers:
    return np.asarray(series[name].to_numpy(), dtype=np.int64)


def _lasting_s(at_ns: Integers, bucket_s: int, window: Window, now_ns: int) -> Numbers:
    """Seconds that the counts of each bucket cover.

    The store counts whole minutes, so a bucket that the window cuts covers every minute the window touches,
    and the minute that is under way covers what has passed of it.
    """
    first_ns = window.start_ns // MINUTE_NS * MINUTE_NS
    last_ns = -(-window.end_ns // MINUTE_NS) * MINUTE_NS
    begin = np.maximum(at_ns, first_ns)
    end = np.minimum(at_ns + bucket_s * SECOND_NS, last_ns)
    passed = np.where(begin < now_ns, np.minimum(end, now_ns), end)
    return np.asarray(np.maximum((passed - begin) / SECOND_NS, SHORTEST_S), dtype=np.float64)
