"""Which build of each minute is current: the newest one whose pointer is committed."""

from dataclasses import dataclass, field

from clickhouse_connect.cc_sqlalchemy import select
from clickhouse_connect.cc_sqlalchemy.sql import ClickHouseSelect
from sqlalchemy import ColumnElement, Subquery, func, tuple_

from store.telemetry.tables import request_minutes
from vocabulary.pools import MINUTE_NS, Pool, Window
from vocabulary.services import ServiceBook

MINUTE_KEY = (request_minutes.c.service, request_minutes.c.model, request_minutes.c.minute_ns)


@dataclass(slots=True)
class CurrentBuild:
    """What the rollup sets and readers look at before each read.

    number    of the newest committed build
    services  which kinds of defect count where
    """

    number: int = 0
    services: ServiceBook = field(default_factory=ServiceBook)


def cells(window: Window, pool: Pool | None) -> list[ColumnElement[bool]]:
    """The minutes that overlap a window, of one pool or of all."""
    first = window.start_ns // MINUTE_NS * MINUTE_NS
    bounds = [request_minutes.c.minute_ns >= first, request_minutes.c.minute_ns < window.end_ns]
    if pool is not None:
        bounds += [request_minutes.c.service == pool.service, request_minutes.c.model == pool.model]
    return bounds


def current_keys(build: int, *bounds: ColumnElement[bool]) -> ClickHouseSelect:
    """(service, model, minute_ns, build) of the current build of each cell."""
    newest = select(*MINUTE_KEY, func.max(request_minutes.c.build))
    return newest.where(request_minutes.c.build <= build, *bounds).group_by(*MINUTE_KEY)


def current_minutes(build: int, names: tuple[str, ...], *bounds: ColumnElement[bool]) -> Subquery:
    """Subquery of the current rows that hold requests; every bound must hold for whole cells."""
    among = tuple_(*MINUTE_KEY, request_minutes.c.build).in_(current_keys(build, *bounds))
    wanted = select(*(request_minutes.c[name] for name in names))
    return wanted.where(*bounds, among, request_minutes.c.requests > 0).subquery("minutes")


def load_test_cells() -> ColumnElement[bool]:
    """The cells that hold a load test in any build; the index on load_test skips production minutes."""
    return tuple_(*MINUTE_KEY).in_(select(*MINUTE_KEY).where(request_minutes.c.load_test != ""))


def load_test_minutes(build: int) -> ClickHouseSelect:
    """The minutes that hold a load test of any pool in any build up to this one."""
    found = select(request_minutes.c.minute_ns).distinct()
    return found.where(request_minutes.c.load_test != "", request_minutes.c.build <= build)


@dataclass(frozen=True, slots=True)
class AllMinutes:
    """The rows of request_minutes that a build shows."""

    build: int

    def of(self, names: tuple[str, ...], window: Window, pool: Pool | None) -> Subquery:
        """Rows of the minutes that overlap a window, of one pool or of all."""
        return current_minutes(self.build, names, *cells(window, pool))

    def of_load_tests(self, names: tuple[str, ...]) -> Subquery:
        """Rows of every minute that holds a load test."""
        return current_minutes(self.build, names, load_test_cells())
