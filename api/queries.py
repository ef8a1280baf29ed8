"""Query parameters that several routes share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import Query

from api.problems import BadQueryError
from api.times import BadTimeError, time_ns
from store.contract import RequestFilter
from vocabulary.outcomes import DEFECT_NAMES, Outcome
from vocabulary.pools import Window

TIME_HELP = "RFC 3339, nanoseconds since the epoch, or relative such as now-6h (s, m, h, d, w)."
DEFECT_CHOICES = ("any", *DEFECT_NAMES)
ANY_LOAD_TEST = "any"
LOAD_TEST_HELP = (
    f"Load test the requests belong to; `{ANY_LOAD_TEST}` for production and load tests together, "
    "absent for production alone. Imported requests are production unless a load test is named with them."
)
OUTCOME_CHOICES = tuple(str(outcome) for outcome in Outcome)


@dataclass(frozen=True, slots=True)
class WindowQuery:
    """The window that `from` and `to` name; an empty text is as good as none."""

    from_: Annotated[str, Query(alias="from", description=f"Start, inclusive. {TIME_HELP}")] = ""
    to: Annotated[str, Query(description=f"End, exclusive; now if absent. {TIME_HELP}")] = ""

    @property
    def is_given(self) -> bool:
        return bool(self.from_ or self.to)

    def window(self, now_ns: int, *, default_from: str) -> Window:
        """The window, from `default_from` (a relative time) where no start is given.

        raises  BadQueryError naming the parameter
        """
        start = _time("from", self.from_ or default_from, now_ns)
        end = _time("to", self.to or "now", now_ns)
        if end <= start:
            raise BadQueryError("from", "the window must start before it ends.")
        return Window(start, end)


@dataclass(frozen=True, slots=True)
class PoolQuery:
    """A pool by its two halves; either may be absent."""

    service: Annotated[str, Query(description="Service name: half of the pool.")] = ""
    model: Annotated[str, Query(description="Served model name: half of the pool.")] = ""


@dataclass(frozen=True, slots=True)
class FilterQuery:
    """Which requests a list shows."""

    outcome: Annotated[str, Query(description=f"How the request ended: {', '.join(OUTCOME_CHOICES)}.")] = ""
    defect: Annotated[str, Query(description=f"A kind of defect: {', '.join(DEFECT_CHOICES)}.")] = ""
    tier: Annotated[str, Query(description="Service tier.")] = ""
    replica: Annotated[str, Query(description="Replica that answered.")] = ""
    tenant: Annotated[str, Query(description="Who called.")] = ""
    load_test: Annotated[str, Query(description=LOAD_TEST_HELP)] = ""

    def filter(self, pool: PoolQuery) -> RequestFilter:
        """The store's filter, narrowed to the pool's halves where they are named.

        raises  BadQueryError for an outcome or a kind of defect that does not exist
        """
        _check("outcome", self.outcome, OUTCOME_CHOICES)
        _check("defect", self.defect, DEFECT_CHOICES)
        return RequestFilter(
            service=pool.service,
            model=pool.model,
            outcome=Outcome(self.outcome) if self.outcome else None,
            defect=self.defect,
            service_tier=self.tier,
            replica=self.replica,
            tenant=self.tenant,
            load_test=None if self.load_test == ANY_LOAD_TEST else self.load_test,
        )


def _check(name: str, value: str, choices: Sequence[str]) -> None:
    if value and value not in choices:
        raise BadQueryError(name, f"must be one of {', '.join(choices)}.")


def _time(name: str, text: str, now_ns: int) -> int:
    try:
        return time_ns(text, now_ns)
    except BadTimeError as error:
        raise BadQueryError(name, str(error)) from error
