"""Prints every row of every table of a data folder that no server uses, as text; in a process of its own."""

import sqlite3
import sys
from pathlib import Path

from peakline_server.parts import open_stores
from peakline_server.settings import ServeSettings

TABLES = ("spans", "requests", "request_minutes", "ingest_ledger")


def dump(folder: Path) -> None:
    """All columns, ids in hex."""
    stores = open_stores(ServeSettings(data=folder))
    try:
        with stores.telemetry.reads.client() as client:
            for table in TABLES:
                sys.stdout.write(client.raw_query(f"select * from {table} format JSONEachRow").decode())
    finally:
        stores.close()
    with sqlite3.connect(folder / "control.sqlite") as control:
        sys.stdout.writelines(control.iterdump())


if __name__ == "__main__":
    dump(Path(sys.argv[1]))
