"""Whose rows a reader sees: the one place where tenants become a condition of a statement."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, false, true

from store.telemetry.bounds import check_limit
from vocabulary.errors import RefusedReadError
from vocabulary.pools import Window

TENANTS_MAX = 10_000
NAMES_BYTES_MAX = 2**20
"""A statement names every tenant up to twice, escaped; together that stays below the largest statement."""

COUNTED_DAYS = 31
"""Rollups know no tenants, so counts of some tenants are made from raw requests, of so many days at most."""

UNKNOWN_TENANT = ""


@dataclass(frozen=True, slots=True)
class Scope:
    """The tenants whose rows are seen.

    tenants  None for every row; otherwise rows that name one of these, so none for an empty set. A row that names
             no tenant belongs to nobody and is never seen through a limit
    """

    tenants: frozenset[str] | None = None

    @property
    def is_limited(self) -> bool:
        """Whether rows of some tenants are out of sight."""
        return self.tenants is not None

    def within(self, tenants: AbstractSet[str] | None) -> "Scope":
        """The part of this scope that lies in `tenants`, None for all of it; a scope never grows.

        raises  RefusedReadError when there are more tenants than one statement can name
        """
        if tenants is None:
            return self
        named = frozenset(tenants) - {UNKNOWN_TENANT}
        if self.tenants is None:
            _check_names(named)
            return Scope(named)
        return Scope(self.tenants & named)

    def admits(self, columns: Any) -> ColumnElement[bool]:
        """Whether a row is seen, by its `tenant` column."""
        if self.tenants is None:
            return true()
        if not self.tenants:
            return false()
        admitted: ColumnElement[bool] = columns.tenant.in_(sorted(self.tenants))
        return admitted

    def check_counted(self, window: Window) -> None:
        """Refuse a window over which requests of some tenants cannot be counted at once."""
        days = window.seconds / 86_400
        if self.is_limited and days > COUNTED_DAYS:
            message = (
                f"The window is {days:.1f} days long; with access to some tenants only, counts are made from single "
                f"requests, of at most {COUNTED_DAYS} days at once. Ask for a shorter window."
            )
            raise RefusedReadError(message)


EVERYBODY = Scope()


def _check_names(tenants: frozenset[str]) -> None:
    if tenants:
        check_limit(len(tenants), TENANTS_MAX, "tenants")
    size = sum(len(tenant.encode()) for tenant in tenants)
    if size > NAMES_BYTES_MAX:
        message = (
            f"The names of {len(tenants)} tenants are {size} bytes long; at most {NAMES_BYTES_MAX} can be asked for."
        )
        raise RefusedReadError(message)
