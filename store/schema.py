"""Bringing a database to the schema of this version: forward-only Alembic chains that ship with the code."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.engine import Connection

from store.errors import NewerSchemaError


def migrate(connection: Connection, scripts: Path, what: str) -> None:
    """Upgrade the database behind `connection` to the newest revision in `scripts`.

    what    how messages name the database, for example "telemetry store"
    raises  NewerSchemaError when the database holds a revision that `scripts` does not know
    """
    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.attributes["connection"] = connection
    known = {revision.revision for revision in ScriptDirectory.from_config(config).walk_revisions()}
    present = set(MigrationContext.configure(connection).get_current_heads())
    unknown = present - known
    if unknown:
        message = (
            f"The {what} was written by a newer version of Peakline (schema {', '.join(sorted(unknown))}); "
            "use that version or another folder."
        )
        raise NewerSchemaError(message)
    if present != set(ScriptDirectory.from_config(config).get_heads()):
        command.upgrade(config, "head")
