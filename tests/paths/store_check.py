"""Opens a data folder that no server uses and prints what a brute force over its raw rows says, as JSON.

Runs in a process of its own because the embedded engine takes one folder per process.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from collector.correlate import correlate
from peakline_server.parts import open_stores
from peakline_server.settings import ServeSettings
from store.telemetry import columns
from tests.factories.brute_force import count_rows, rolled_up


def check(folder: Path) -> dict[str, Any]:
    """Span ids stored, those stored more than once, and rollups against requests made again from raw spans.

    The server's own last rollup is looked at: nothing is rebuilt here.
    """
    stores = open_stores(ServeSettings(data=folder))
    try:
        reader = stores.telemetry.reader
        raw = reader.recent_keys(10_000_000)
        hops = reader.hops(raw["trace_id"].combine_chunks().unique())
        again = correlate(hops.select(columns.HOPS.names)).to_pylist()
        by_hand = count_rows([{**row, "version": 1, "is_retracted": False} for row in again])
        rollup = rolled_up(stores.telemetry)
        ids = Counter(value.hex() for value in raw["span_id"].to_pylist())
        return {
            "spans": sorted(ids),
            "repeated": sorted(key for key, count in ids.items() if count > 1),
            "requests": len(again),
            "replicas_ready": max(row["replicas_ready"] for row in rollup.values()),
            "differences": [f"{key}: {rollup.get(key)} != {by_hand.get(key)}" for key in sorted({*rollup, *by_hand})
                            if rollup.get(key) != by_hand.get(key)],
        }  # fmt: skip
    finally:
        stores.close()


if __name__ == "__main__":
    json.dump(check(Path(sys.argv[1])), sys.stdout)
