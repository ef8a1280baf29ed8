"""The first control tables: alert_states, alert_transitions, rollup_builds."""

import sqlalchemy as sa
from alembic import op

revision = "c0001_first"
down_revision = None
KEY = sa.String(500)
STATE = sa.String(16)


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "alert_states",
        sa.Column("rule_id", KEY, primary_key=True),
        sa.Column("series", KEY, primary_key=True),
        sa.Column("state", STATE, nullable=False),
        sa.Column("since_ns", sa.BigInteger, nullable=False),
        sa.Column("pending_since_ns", sa.BigInteger),
        sa.Column("value", sa.Float),
        sa.Column("line", sa.Float),
        sa.Column("updated_ns", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "alert_transitions",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("rule_id", KEY, nullable=False),
        sa.Column("series", KEY, nullable=False),
        sa.Column("from_state", STATE, nullable=False),
        sa.Column("to_state", STATE, nullable=False),
        sa.Column("at_ns", sa.BigInteger, nullable=False),
        sa.Column("value", sa.Float),
        sa.Column("line", sa.Float),
        sa.Column("recovery_line", sa.Float),
        sa.Column("rule_digest", sa.String(128), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
    )
    op.create_index("alert_transitions_by_time", "alert_transitions", ["at_ns"])
    op.create_table(
        "rollup_builds",
        sa.Column("build", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("minutes", sa.BigInteger, nullable=False),
        sa.Column("committed_ns", sa.BigInteger, nullable=False),
    )
