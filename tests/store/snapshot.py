"""Compiled SQL under review: a changed statement shows as a changed file in tests/store/snapshots.

`PEAKLINE_UPDATE_SNAPSHOTS=1 pytest tests/store` writes them anew.
"""

import os
from pathlib import Path

from sqlalchemy.sql import ClauseElement

from store.telemetry.database import Database

FOLDER = Path(__file__).parent / "snapshots"


def assert_snapshot(name: str, sql: str) -> None:
    """The text equals tests/store/snapshots/NAME.sql."""
    path = FOLDER / f"{name}.sql"
    if os.environ.get("PEAKLINE_UPDATE_SNAPSHOTS"):
        path.write_text(f"{sql}\n", encoding="utf-8")
    assert path.read_text(encoding="utf-8") == f"{sql}\n"


def assert_statement(name: str, database: Database, statement: ClauseElement) -> None:
    """The compiled statement and its values equal tests/store/snapshots/NAME.sql."""
    sql, values = database.compiled(statement)
    lines = [line.rstrip() for line in sql.splitlines()]
    shown = [f"-- {key} = {value!r}" for key, value in sorted(values.items())]
    assert_snapshot(name, "\n".join([*lines, *shown]))
