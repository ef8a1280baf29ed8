"""Many similar requests at once, and what makes a store show them."""

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from store.control.open import Control
from store.telemetry.columns import REQUESTS
from store.telemetry.open import Telemetry
from tests.factories.stores import request, requests
from vocabulary.outcomes import DefectKind, Outcome
from vocabulary.pools import MINUTE_NS

FAILED: dict[str, Any] = {"outcome": Outcome.FAILED.value, "defects": int(DefectKind.ERROR)}
REJECTED: dict[str, Any] = {"outcome": Outcome.REJECTED.value, "defects": int(DefectKind.REJECTED)}
UNKNOWN: dict[str, Any] = {"outcome": Outcome.UNKNOWN.value, "end_ns": None, "e2e_s": None}


def request_rows(n: int, at_s: float = 0.0, every_s: float = 0.01, **overrides: Any) -> pa.Table:
    """REQUESTS table of `n` completed requests of pool (chat, m), one every `every_s` seconds from `at_s`.

    An override is the value of every row, or a function of the row's position.
    """
    return requests(
        *(
            request(at_s + position * every_s, **{name: _value(value, position) for name, value in overrides.items()})
            for position in range(n)
        )
    )


def _value(value: object | Callable[[int], object], position: int) -> object:
    return value(position) if callable(value) else value


def minute_of_traffic(minute: int, n: int, failed: int = 0, **overrides: Any) -> pa.Table:
    """`n` requests inside one minute, the first `failed` of them failed."""
    second = minute * MINUTE_NS / 1e9
    spacing = 55 / max(n, 1)
    parts = [
        request_rows(failed, second, spacing, **{**FAILED, **overrides}),
        request_rows(n - failed, second + failed * spacing, spacing, **overrides),
    ]
    return pa.concat_tables(parts)


def shown(telemetry: Telemetry, control: Control, *tables: pa.Table) -> Telemetry:
    """The store with these requests in it and its rollup up to date."""
    rows = pa.concat_tables(tables).cast(REQUESTS)
    telemetry.writer.append_requests(rows)
    rollup = telemetry.rollup(control)
    rollup.mark(_cells(rows), version=1)
    rollup.run()
    return telemetry


def _cells(rows: pa.Table) -> Sequence[tuple[str, str, int]]:
    found = zip(*(rows[name].to_pylist() for name in ("service", "model", "anchor_ns")), strict=True)
    return [(service, model, at_ns // MINUTE_NS * MINUTE_NS) for service, model, at_ns in found]
