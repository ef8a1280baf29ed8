"""Pools and load tests: which there are, and which one a question means."""

from collections.abc import Sequence

from store.contract import LoadTest, PoolActivity, TelemetryReader
from vocabulary.errors import PeaklineError
from vocabulary.pools import MINUTE_NS, Pool, Window

PART_NS = 366 * 1440 * MINUTE_NS


class AmbiguousPoolError(PeaklineError):
    """Several pools fit what was asked.

    pools  the pools that fit, busiest first
    """

    def __init__(self, pools: Sequence[Pool]) -> None:
        named = ", ".join(f"service={pool.service} model={pool.model}" for pool in pools)
        super().__init__(f"Several pools fit; name one by service and model: {named}")
        self.pools = pools


def pools(reader: TelemetryReader, window: Window) -> Sequence[PoolActivity]:
    """Pools with production requests in the window, busiest first.

    A window longer than one read may be is read in parts.
    """
    found: dict[Pool, PoolActivity] = {}
    for part in _parts(window):
        for activity in reader.pools(part):
            if activity.requests:
                found[activity.pool] = _joined(found.get(activity.pool), activity)
    return sorted(found.values(), key=lambda activity: (-activity.requests, activity.pool))


def load_tests(reader: TelemetryReader) -> Sequence[LoadTest]:
    """All load tests, newest first."""
    return reader.load_tests()


def chosen_pool(reader: TelemetryReader, window: Window, service: str = "", model: str = "") -> Pool:
    """The pool that `service` and `model` name; either may be '' where the other, or neither, is enough.

    Both given, they are taken at their word. Where nothing fits, the answer is the pool as asked: its report is empty.
    raises  AmbiguousPoolError when several fit
    """
    if service and model:
        return Pool(service, model)
    return _only([activity.pool for activity in pools(reader, window)], Pool(service, model))


def chosen_load_test(reader: TelemetryReader, load_test: str, service: str = "", model: str = "") -> LoadTest | None:
    """The load test of that name, on the named pool if several pools took part; None when there is none.

    raises  AmbiguousPoolError when it ran on several pools and none is named
    """
    runs = [run for run in reader.load_tests() if run.load_test == load_test]
    asked = Pool(service, model)
    pool = _only([run.pool for run in runs], asked)
    return next((run for run in runs if run.pool == pool), None)


def window_of(run: LoadTest) -> Window:
    """Whole minutes that hold a load test."""
    return Window(run.first_ns // MINUTE_NS * MINUTE_NS, -(-(run.last_ns + 1) // MINUTE_NS) * MINUTE_NS)


def _parts(window: Window) -> list[Window]:
    starts = range(window.start_ns, window.end_ns, PART_NS)
    return [Window(start_ns, min(start_ns + PART_NS, window.end_ns)) for start_ns in starts]


def _joined(earlier: PoolActivity | None, later: PoolActivity) -> PoolActivity:
    if earlier is None:
        return later
    return PoolActivity(
        pool=later.pool,
        requests=earlier.requests + later.requests,
        first_ns=min(earlier.first_ns, later.first_ns),
        last_ns=max(earlier.last_ns, later.last_ns),
    )


def _only(candidates: Sequence[Pool], asked: Pool) -> Pool:
    fitting = [pool for pool in candidates if asked.service in ("", pool.service) and asked.model in ("", pool.model)]
    if len(fitting) > 1:
        raise AmbiguousPoolError(fitting)
    return fitting[0] if fitting else asked
