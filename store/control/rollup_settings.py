"""What the rows of request_minutes were counted by, so that a change of it is noticed at the next start."""

import json
from collections.abc import Sequence

from sqlalchemy import Column, Engine, String, Table, Text, delete, insert, select

from store.control.tables import CONTROL

NAME_LENGTH = 64
COUNTED_KINDS = "counted_kinds"

rollup_settings = Table(
    "rollup_settings",
    CONTROL,
    Column("name", String(NAME_LENGTH), primary_key=True),
    Column("value", Text, nullable=False),
)


class RollupSettings:
    """The rollup_settings table. Durable when a call returns."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def counted_kinds(self) -> tuple[str, ...]:
        """Every `ServiceBook.counted_text` that rows may have been counted by; empty before anything is remembered."""
        wanted = select(rollup_settings.c.value).where(rollup_settings.c.name == COUNTED_KINDS)
        with self._engine.connect() as connection:
            value = connection.execute(wanted).scalar_one_or_none()
        return () if value is None else tuple(json.loads(value))

    def remember_counted_kinds(self, texts: Sequence[str]) -> None:
        """Put these in the place of what was remembered."""
        value = json.dumps(list(texts), ensure_ascii=False)
        with self._engine.begin() as connection:
            connection.execute(delete(rollup_settings).where(rollup_settings.c.name == COUNTED_KINDS))
            connection.execute(insert(rollup_settings).values(name=COUNTED_KINDS, value=value))
