"""What rollups were counted by: rollup_settings."""

import sqlalchemy as sa
from alembic import op

revision = "c0003_rollup_settings"
down_revision = "c0002_access"


def upgrade() -> None:
    """Create the table; without a row all kinds of defect count, as they did before."""
    op.create_table(
        "rollup_settings",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
