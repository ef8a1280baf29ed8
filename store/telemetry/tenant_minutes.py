"""Minutes of some tenants: counted from raw requests, beside what the rollup knows of their pool."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from clickhouse_connect.cc_sqlalchemy import select
from sqlalchemy import ColumnElement, Subquery, and_, func, tuple_

from store.telemetry.current import AllMinutes, CurrentBuild, cells, current_minutes, load_test_cells, load_test_minutes
from store.telemetry.latest import IDENTITY, latest_requests
from store.telemetry.rollup_sql import CELL, COUNTED_COLUMNS, counts, minute_of
from store.telemetry.scope import Scope
from store.telemetry.tables import requests
from vocabulary.pools import MINUTE_NS, Pool, Window
from vocabulary.services import ServiceBook

LINKED = (*CELL, "load_test")
FACTS = ("replicas_ready", "load_rps")


class Minutes(Protocol):
    """Rows that a read of minutes adds up, in columns of request_minutes: all rows, or those of some tenants."""

    def of(self, names: tuple[str, ...], window: Window, pool: Pool | None) -> Subquery:
        """Rows of the minutes that overlap a window, of one pool or of all."""

    def of_load_tests(self, names: tuple[str, ...]) -> Subquery:
        """Rows of every minute that holds a load test; production rows of these minutes may be among them."""


def minutes_for(scope: Scope, current: CurrentBuild) -> Minutes:
    """The rows that a reader may add up."""
    build = current.number
    return TenantMinutes(scope, build, current.services) if scope.is_limited else AllMinutes(build)


@dataclass(frozen=True, slots=True)
class TenantMinutes:
    """Minutes that hold requests of some tenants only.

    Load is a fact about the pool: `replicas_ready` and the `load_rps` of production come from the rollup of all its
    requests. So a minute is counted once the rollup has it, and not before.
    """

    scope: Scope
    build: int
    services: ServiceBook = field(default_factory=ServiceBook)

    def of(self, names: tuple[str, ...], window: Window, pool: Pool | None) -> Subquery:
        """Rows of the minutes that overlap a window."""
        first_ns = window.start_ns // MINUTE_NS * MINUTE_NS
        last_ns = -(-window.end_ns // MINUTE_NS) * MINUTE_NS
        inside = and_(requests.c.anchor_ns >= first_ns, requests.c.anchor_ns < last_ns)
        return self._counted(names, inside, cells(window, pool), pool)

    def of_load_tests(self, names: tuple[str, ...]) -> Subquery:
        """Rows of the minutes in which anybody ran a load test; the rollup knows which these are."""
        inside = minute_of(requests.c.anchor_ns).in_(load_test_minutes(self.build))
        return self._counted(names, inside, [load_test_cells()], None)

    def _counted(
        self, names: tuple[str, ...], inside: ColumnElement[bool], bounds: list[ColumnElement[bool]], pool: Pool | None
    ) -> Subquery:
        """Counts of the current versions among the requests `inside`, joined with the rollup's rows within `bounds`.

        Versions are compared only among requests that have one which counts: what is read of all others is narrow.
        """
        theirs = select(*IDENTITY).where(inside, *self._counts(requests.c, pool))
        among = and_(inside, tuple_(*IDENTITY).in_(theirs))
        rows = latest_requests(*COUNTED_COLUMNS, "tenant", where=lambda _: among)
        counted = counts(rows, self.services, *self._counts(rows.c, pool))
        known = self._known(bounds)
        joined = counted.join(known, and_(*(counted.c[name] == known.c[name] for name in LINKED)))
        values: dict[str, ColumnElement[Any]] = {column.name: column for column in counted.c}
        values["replicas_ready"] = known.c.replicas_ready
        values["load_rps"] = func.if_(counted.c.load_test == "", known.c.load_rps, counted.c.offered_rps)
        return select(*(values[name].label(name) for name in names)).select_from(joined).subquery("minutes")

    def _counts(self, columns: Any, pool: Pool | None) -> list[ColumnElement[bool]]:
        of_pool = [] if pool is None else [columns.service == pool.service, columns.model == pool.model]
        return [self.scope.admits(columns), *of_pool]

    def _known(self, bounds: list[ColumnElement[bool]]) -> Subquery:
        """What the rollup tells of each cell, its production and each of its load tests apart."""
        rolled_up = current_minutes(self.build, (*LINKED, *FACTS), *bounds)
        key = [rolled_up.c[name] for name in LINKED]
        facts = (func.any(rolled_up.c[name]).label(name) for name in FACTS)
        return select(*key, *facts).group_by(*key).subquery("known")
