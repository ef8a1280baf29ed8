"""The control tables: small, transactional, the same on SQLite and PostgreSQL.

Times are nanoseconds since the epoch.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    text,
)

CONTROL = MetaData()
KEY_LENGTH = 500

alert_states = Table(
    "alert_states",
    CONTROL,
    Column("rule_id", String(KEY_LENGTH), primary_key=True),
    Column("series", String(KEY_LENGTH), primary_key=True),
    Column("state", String(16), nullable=False),
    Column("since_ns", BigInteger, nullable=False),
    Column("pending_since_ns", BigInteger),
    Column("value", Float),
    Column("line", Float),
    Column("updated_ns", BigInteger, nullable=False),
)
alert_transitions = Table(
    "alert_transitions",
    CONTROL,
    # SQLite numbers rows by itself only in a plain INTEGER primary key.
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("rule_id", String(KEY_LENGTH), nullable=False),
    Column("series", String(KEY_LENGTH), nullable=False),
    Column("from_state", String(16), nullable=False),
    Column("to_state", String(16), nullable=False),
    Column("at_ns", BigInteger, nullable=False),
    Column("value", Float),
    Column("line", Float),
    Column("recovery_line", Float),
    Column("rule_digest", String(128), nullable=False),
    Column("reason", Text, nullable=False),
    Index("alert_transitions_by_time", "at_ns"),
)
rollup_builds = Table(
    "rollup_builds",
    CONTROL,
    Column("build", BigInteger, primary_key=True, autoincrement=False),
    Column("version", BigInteger, nullable=False),
    Column("minutes", BigInteger, nullable=False),
    Column("committed_ns", BigInteger, nullable=False),
)
"""One row commits one build of request_minutes; it covers requests up to `version`."""

IDENTITY_LENGTH = 255
"""Of an identity provider's address and of its id of a person: both together stay below what PostgreSQL can index."""

access_tokens = Table(
    "access_tokens",
    CONTROL,
    Column("id", String(12), primary_key=True),
    Column("digest", String(64), nullable=False),
    Column("name", String(KEY_LENGTH), nullable=False),
    Column("role", String(16), nullable=False),
    Column("tenants", Text),
    Column("created_ns", BigInteger, nullable=False),
    Column("created_by", String(KEY_LENGTH), nullable=False),
    Column("expires_ns", BigInteger),
    Column("revoked_ns", BigInteger),
    Column("revoked_by", String(KEY_LENGTH)),
    Column("last_used_ns", BigInteger),
)
"""`digest` is SHA-256 of the secret half, hexadecimal; `tenants` a JSON list, NULL for all."""
access_users = Table(
    "access_users",
    CONTROL,
    Column("id", String(32), primary_key=True),
    Column("name", String(KEY_LENGTH), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("role", String(16), nullable=False),
    Column("tenants", Text),
    Column("issuer", String(IDENTITY_LENGTH), nullable=False),
    Column("subject", String(IDENTITY_LENGTH), nullable=False),
    Column("password_hash", Text),
    Column("is_disabled", Boolean, nullable=False),
    Column("created_ns", BigInteger, nullable=False),
    Column("created_by", String(KEY_LENGTH), nullable=False),
    Column("changed_ns", BigInteger, nullable=False),
    Column("changed_by", String(KEY_LENGTH), nullable=False),
    Column("last_login_ns", BigInteger),
    Index("access_users_by_name", "name", unique=True),
    Index(
        "access_users_by_identity",
        "issuer",
        "subject",
        unique=True,
        sqlite_where=text("kind = 'oidc'"),
        postgresql_where=text("kind = 'oidc'"),
    ),
)
"""`password_hash` is NULL where an identity provider keeps the password."""
access_sessions = Table(
    "access_sessions",
    CONTROL,
    Column("digest", String(64), primary_key=True),
    Column("user_id", String(32), ForeignKey("access_users.id", ondelete="CASCADE"), nullable=False),
    Column("csrf", String(64), nullable=False),
    Column("created_ns", BigInteger, nullable=False),
    Column("seen_ns", BigInteger, nullable=False),
    Column("expires_ns", BigInteger, nullable=False),
    Index("access_sessions_by_user", "user_id"),
)
"""`digest` is SHA-256 of the cookie, hexadecimal."""
