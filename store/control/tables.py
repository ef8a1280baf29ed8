"""The control tables: small, transactional, the same on SQLite and PostgreSQL.

Times are nanoseconds since the epoch.
"""

from sqlalchemy import BigInteger, Column, Float, Index, Integer, MetaData, String, Table, Text

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
