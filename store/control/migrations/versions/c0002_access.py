"""Who may come in: access_tokens, access_users, access_sessions."""

import sqlalchemy as sa
from alembic import op

revision = "c0002_access"
down_revision = "c0001_first"
NAME = sa.String(500)
WORD = sa.String(16)
DIGEST = sa.String(64)
USER = sa.String(32)
IDENTITY = sa.String(255)


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "access_tokens",
        sa.Column("id", sa.String(12), primary_key=True),
        sa.Column("digest", DIGEST, nullable=False),
        sa.Column("name", NAME, nullable=False),
        sa.Column("role", WORD, nullable=False),
        sa.Column("tenants", sa.Text),
        sa.Column("created_ns", sa.BigInteger, nullable=False),
        sa.Column("created_by", NAME, nullable=False),
        sa.Column("expires_ns", sa.BigInteger),
        sa.Column("revoked_ns", sa.BigInteger),
        sa.Column("revoked_by", NAME),
        sa.Column("last_used_ns", sa.BigInteger),
    )
    op.create_table(
        "access_users",
        sa.Column("id", USER, primary_key=True),
        sa.Column("name", NAME, nullable=False),
        sa.Column("kind", WORD, nullable=False),
        sa.Column("role", WORD, nullable=False),
        sa.Column("tenants", sa.Text),
        sa.Column("issuer", IDENTITY, nullable=False),
        sa.Column("subject", IDENTITY, nullable=False),
        sa.Column("password_hash", sa.Text),
        sa.Column("is_disabled", sa.Boolean, nullable=False),
        sa.Column("created_ns", sa.BigInteger, nullable=False),
        sa.Column("created_by", NAME, nullable=False),
        sa.Column("changed_ns", sa.BigInteger, nullable=False),
        sa.Column("changed_by", NAME, nullable=False),
        sa.Column("last_login_ns", sa.BigInteger),
    )
    op.create_index("access_users_by_name", "access_users", ["name"], unique=True)
    # Local users have no issuer and no subject, so only people of identity providers are told apart by them.
    op.create_index(
        "access_users_by_identity",
        "access_users",
        ["issuer", "subject"],
        unique=True,
        sqlite_where=sa.text("kind = 'oidc'"),
        postgresql_where=sa.text("kind = 'oidc'"),
    )
    op.create_table(
        "access_sessions",
        sa.Column("digest", DIGEST, primary_key=True),
        sa.Column("user_id", USER, sa.ForeignKey("access_users.id", ondelete="CASCADE"), nullable=False),
        sa.Column("csrf", DIGEST, nullable=False),
        sa.Column("created_ns", sa.BigInteger, nullable=False),
        sa.Column("seen_ns", sa.BigInteger, nullable=False),
        sa.Column("expires_ns", sa.BigInteger, nullable=False),
    )
    op.create_index("access_sessions_by_user", "access_sessions", ["user_id"])
