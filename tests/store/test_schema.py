from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, text

import store
from store.errors import NewerSchemaError
from store.schema import migrate

CHAINS = [Path(store.__file__).parent / part / "migrations" for part in ("telemetry", "control")]


@pytest.mark.parametrize("scripts", CHAINS, ids=["telemetry", "control"])
def test_each_chain_is_one_line_forward_with_short_names(scripts: Path) -> None:
    config = Config()
    config.set_main_option("script_location", str(scripts))
    revisions = list(ScriptDirectory.from_config(config).walk_revisions())
    assert len(ScriptDirectory.from_config(config).get_heads()) == 1
    assert all(len(revision.revision) < 32 for revision in revisions)
    assert not any(hasattr(revision.module, "downgrade") for revision in revisions)


def test_a_database_migrates_once_and_a_newer_one_is_refused(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'control.db'}")
    for _ in range(2):
        with engine.begin() as connection:
            migrate(connection, CHAINS[1], "control store")
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'c9999_future'"))
        with pytest.raises(
            NewerSchemaError, match=r"^The control store was written by a newer .* \(schema c9999_future\)"
        ):
            migrate(connection, CHAINS[1], "control store")
    engine.dispose()
