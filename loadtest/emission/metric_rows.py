"""Rows of metrics that wait to be taken, by the process or device that they are of."""

from bisect import bisect_right
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from loadtest.emission.metric_wire import MetricLayout, Number
from loadtest.emission.outbox import Body

_NS = 1_000_000_000


@dataclass(slots=True)
class MetricSource:
    """Who tells, how its rows are written, and what it has to tell.

    resource, scope  fields as `wire.resource` and `wire.scope` write them
    start_s          simulated second at which its sums began
    """

    resource: bytes
    scope: bytes
    layout: MetricLayout
    start_s: float
    times_s: list[float] = field(default_factory=list)
    rows: list[tuple[Number, ...]] = field(default_factory=list)


class MetricRows:
    """A source is described when it has something to tell and forgotten when all of it was taken."""

    def __init__(self, origin_ns: int) -> None:
        self.origin_ns = origin_ns
        self._sources: dict[Hashable, MetricSource] = {}

    def add(self, key: Hashable, at_s: float, row: tuple[Number, ...], describe: Callable[[], MetricSource]) -> None:
        """One row; times of a source only grow."""
        source = self._sources.get(key)
        if source is None:
            source = self._sources[key] = describe()
        source.times_s.append(at_s)
        source.rows.append(row)

    def take(self, until_s: float) -> list[Body]:
        """What was seen until then, one body a source, in the order in which they came up."""
        bodies = []
        for key, source in list(self._sources.items()):
            count = bisect_right(source.times_s, until_s)
            if count:
                bodies.append(self._body(source, count, until_s))
                del source.times_s[:count], source.rows[:count]
            if not source.rows:
                del self._sources[key]
        return bodies

    def _body(self, source: MetricSource, count: int, until_s: float) -> Body:
        times_ns = [self._ns(at_s) for at_s in source.times_s[:count]]
        rows, start_ns = source.rows[:count], self._ns(source.start_s)
        payload = source.layout.request(source.resource, source.scope, start_ns, times_ns, rows)
        return Body(payload, 0, 0, until_s, "metrics", count * len(source.layout.series))

    def _ns(self, seconds: float) -> int:
        return self.origin_ns + int(seconds * _NS)
