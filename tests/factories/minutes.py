"""Rollup rows as the reader gives them, made from the few numbers a test is about."""

from collections.abc import Mapping

import pyarrow as pa

from store.telemetry.columns import MINUTE_COUNTS
from vocabulary.pools import MINUTE_NS

SCHEMA = pa.schema(
    [
        pa.field("minute_ns", pa.int64()),
        pa.field("service_tier", pa.string()),
        pa.field("load_test_step", pa.int64()),
        pa.field("offered_rps", pa.float64()),
        pa.field("replicas_ready", pa.int64()),
        pa.field("load_rps", pa.float64()),
        *(pa.field(name, pa.uint64()) for name in MINUTE_COUNTS),
    ]
)


def minutes(*rows: Mapping[str, object]) -> pa.Table:
    """Rows named by `minute` (from the epoch); counts are 0 and the service tier general unless told."""
    plain = {"service_tier": "general", "replicas_ready": 1, **dict.fromkeys(MINUTE_COUNTS, 0)}
    return pa.Table.from_pylist([{**plain, **_placed(row)} for row in rows], SCHEMA)


def _placed(row: Mapping[str, object]) -> dict[str, object]:
    minute = row["minute"]
    assert isinstance(minute, int)
    return {**{name: value for name, value in row.items() if name != "minute"}, "minute_ns": minute * MINUTE_NS}
