"""Rollup rows as arrays: the cells that tier questions add up."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from store.telemetry.columns import MINUTE_COUNTS
from vocabulary.outcomes import Outcome
from vocabulary.pools import MINUTE_NS, SECOND_NS
from vocabulary.tiers import ServiceTier

DAY_NS = 1440 * MINUTE_NS
MINUTE_S = MINUTE_NS // SECOND_NS
NO_STEP = -1

Numbers = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Cells:
    """One entry per minute, service tier and load-test step; all arrays are (k,).

    step         load-test step, NO_STEP in production
    offered_rps  offered rate of the step, NaN where unknown
    load_rps     arrival rate per ready replica of the whole pool in that minute, equal on all rows of a minute;
                 of a load test, the rate at which the rows themselves arrived
    counts       MINUTE_COUNTS by name
    """

    minute_ns: Integers
    service_tier: npt.NDArray[np.str_]
    step: Integers
    offered_rps: Numbers
    load_rps: Numbers
    counts: Mapping[str, Integers]

    @property
    def requests(self) -> Integers:
        return self.counts["requests"]

    @property
    def known(self) -> Integers:
        """Requests whose outcome is known: what a rate is divided by."""
        return self.requests - self.counts[f"outcome_{Outcome.UNKNOWN}"]

    @property
    def defective(self) -> Integers:
        """Requests with a defect. Never more than `known`: without an outcome nothing is known to be wrong."""
        return np.minimum(self.counts["defective"], self.known)

    @property
    def day(self) -> Integers:
        """Calendar day in UTC: the block of replication."""
        return self.minute_ns // DAY_NS


def cells_of(minutes: pa.Table) -> Cells:
    """Arrays of a table that `TelemetryReader.minutes` gave.

    Rows without requests only say that a minute lost what it had; they are left out.
    """
    minutes = minutes.filter(pc.greater(minutes["requests"], 0))
    counts = {name: _integers(minutes, name) for name in MINUTE_COUNTS}
    minute_ns = _integers(minutes, "minute_ns")
    step = minutes["load_test_step"].fill_null(NO_STEP)
    return Cells(
        minute_ns=minute_ns,
        service_tier=np.asarray([tier_name(name) for name in minutes["service_tier"].to_pylist()], dtype=np.str_),
        step=np.asarray(step.to_numpy(), dtype=np.int64),
        offered_rps=_numbers(minutes, "offered_rps"),
        load_rps=_load(minute_ns, counts["requests"], minutes),
        counts=counts,
    )


def tier_name(stored: str) -> str:
    """Service tier of a row; requests that name none are general."""
    return stored or ServiceTier.GENERAL


def _integers(minutes: pa.Table, name: str) -> Integers:
    return np.asarray(minutes[name].to_numpy(), dtype=np.int64)


def _numbers(minutes: pa.Table, name: str) -> Numbers:
    """NULL becomes NaN."""
    return np.asarray(minutes[name].to_numpy(), dtype=np.float64)


def _load(minute_ns: Integers, requests: Integers, minutes: pa.Table) -> Numbers:
    """Load as the store tells it, which may count requests that no row shows; where it tells none, that of the rows."""
    told = _numbers(minutes, "load_rps")
    if not np.isnan(told).any():
        return told
    _, minute = np.unique(minute_ns, return_inverse=True)
    arrivals = np.bincount(minute, weights=requests)
    shown = arrivals[minute] / MINUTE_S / np.maximum(_numbers(minutes, "replicas_ready"), 1)
    return np.asarray(np.where(np.isnan(told), shown, told), dtype=np.float64)
