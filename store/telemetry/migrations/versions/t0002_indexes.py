"""Two indexes: the highest commit of the ledger, and requests by their end, are found without reading all rows."""

from alembic import op
from sqlalchemy import text

revision = "t0002_indexes"
down_revision = "t0001_first"

INDEXES = (("ingest_ledger", "by_commit", "commit_seq"), ("requests", "by_end", "end_ns"))


def upgrade() -> None:
    """Add the indexes, for rows that are stored already too; a run that was cut short is taken up again."""
    for table, name, expression in INDEXES:
        op.execute(text(f"ALTER TABLE {table} ADD INDEX IF NOT EXISTS {name} {expression} TYPE minmax GRANULARITY 1"))
        op.execute(text(f"ALTER TABLE {table} MATERIALIZE INDEX {name}"))
