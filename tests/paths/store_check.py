"""Opens a data folder that no server uses and prints what a brute force over its raw rows says, as JSON.

Runs in a process of its own because the embedded engine takes one folder per process.
"""

import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa

from collector.correlate import correlate
from peakline_server.parts import open_stores
from peakline_server.settings import ServeSettings
from store.contract import Rollup
from store.telemetry import columns
from store.telemetry.open import Telemetry
from vocabulary.outcomes import DEFECT_NAMES
from vocabulary.pools import MINUTE_NS, Pool, Window

_DAY_NS = 86_400_000_000_000


def check(folder: Path) -> dict[str, Any]:
    """Span ids stored, how often each, and rollups against requests made again from raw spans."""
    stores = open_stores(ServeSettings(data=folder))
    try:
        bring_up_to_date(stores.rollup)
        reader = stores.telemetry.reader
        raw = reader.recent_keys(10_000_000)
        hops = reader.hops(raw["trace_id"].combine_chunks().unique())
        brute = correlate(hops.select(columns.HOPS.names))
        ids = Counter(value.hex() for value in raw["span_id"].to_pylist())
        return {
            "spans": sorted(ids),
            "repeated": sorted(key for key, count in ids.items() if count > 1),
            "requests": brute.num_rows,
            "brute": minutes_by_hand(brute),
            "rollup": minutes_of_rollup(stores.telemetry, brute),
        }
    finally:
        stores.close()


def bring_up_to_date(rollup: Rollup) -> None:
    """What a starting server does for the minutes a crash left."""
    rollup.recover()
    rollup.run()


def minutes_by_hand(requests: pa.Table) -> dict[str, dict[str, int]]:
    """Counts per pool, minute and service tier, one Python step per request."""
    minutes: dict[str, Counter[str]] = {}
    for row in requests.to_pylist():
        minute = row["anchor_ns"] // MINUTE_NS * MINUTE_NS
        tier = row["service_tier"] or "general"
        counts = minutes.setdefault(f"{row['service']}|{row['model']}|{minute}|{tier}", Counter())
        counts["requests"] += 1
        counts["defective"] += row["defects"] != 0
        counts[f"outcome_{row['outcome']}"] += 1
        for position, name in enumerate(DEFECT_NAMES):
            counts[f"defect_{name}"] += row["defects"] >> position & 1
        counts["input_tokens"] += row["input_tokens"] or 0
        counts["output_tokens"] += row["output_tokens"] or 0
    return {key: {name: counts[name] for name in columns.MINUTE_COUNTS} for key, counts in minutes.items()}


def minutes_of_rollup(telemetry: Telemetry, requests: pa.Table) -> dict[str, dict[str, int]]:
    """The same from request_minutes, without rows that count nothing."""
    pools = {(row["service"], row["model"]) for row in requests.select(["service", "model"]).to_pylist()}
    minutes = {}
    now_ns = time.time_ns()
    window = Window(now_ns - 2 * _DAY_NS, now_ns + _DAY_NS)
    for service, model in pools:
        for row in telemetry.reader.minutes(Pool(service, model), window).to_pylist():
            if row["requests"]:
                key = f"{service}|{model}|{row['minute_ns']}|{row['service_tier'] or 'general'}"
                minutes[key] = {name: row[name] for name in columns.MINUTE_COUNTS}
    return minutes


if __name__ == "__main__":
    json.dump(check(Path(sys.argv[1])), sys.stdout)
