"""Change events: what was changed, when, and by whom."""

from alembic import op
from clickhouse_connect.cc_sqlalchemy.datatypes.base import sqla_type_from_name
from clickhouse_connect.cc_sqlalchemy.ddl.tableengine import MergeTree
from sqlalchemy import Column, MetaData, Table
from sqlalchemy.schema import CreateTable

revision = "t0003_change_events"
down_revision = "t0002_indexes"

DURABLE = {"fsync_after_insert": 1, "fsync_part_directory": 1}
DAY_NS = 86_400_000_000_000

COLUMNS = """
    event_id String
    at_ns Int64
    kind LowCardinality(String)
    subject String
    summary String
    actor String
    before_digest String
    after_digest String
    detail String
"""


def upgrade() -> None:
    """Create the table, sorted by time, one partition per month; a run that was cut short is taken up again."""
    pairs = (line.strip().split(" ", 1) for line in COLUMNS.splitlines() if line.strip())
    engine = MergeTree(
        order_by=("at_ns", "event_id"),
        partition_by=f"toStartOfMonth(toDate(intDiv(at_ns, {DAY_NS})))",
        settings=DURABLE,
    )
    columns: list[Column[object]] = [Column(name, sqla_type_from_name(kind)) for name, kind in pairs]  # type: ignore[arg-type]  # the dialect's types are not annotated
    op.get_bind().execute(CreateTable(Table("change_events", MetaData(), *columns, engine), if_not_exists=True))
