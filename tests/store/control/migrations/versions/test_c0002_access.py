"""A store of the first schema keeps its rows and takes users afterwards."""

from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, create_engine, inspect, text

from store.control.access_book import SqlAccessBook
from store.control.access_records import StoredUser, UserKind
from store.control.alert_states import SqlAlertBook
from store.control.builds import Build
from store.control.open import MIGRATIONS, open_control
from store.control.tables import CONTROL
from vocabulary.access import Role


def at_first_schema(engine: Engine) -> None:
    """The store as the first version left it, with a row in each table."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.begin() as connection:
        CONTROL.drop_all(connection)
        connection.execute(text("DROP TABLE IF EXISTS alembic_version"))
        config.attributes["connection"] = connection
        command.upgrade(config, "c0001_first")
        connection.execute(text("INSERT INTO rollup_builds VALUES (1, 2, 3, 4)"))
        connection.execute(text("INSERT INTO alert_states VALUES ('near', 'a', 'firing', 1, NULL, 4.5, 4.0, 9)"))
        connection.execute(
            text(
                "INSERT INTO alert_transitions (rule_id, series, from_state, to_state, at_ns, rule_digest, reason) "
                "VALUES ('near', 'a', 'pending', 'firing', 1, 'd', 'load')"
            )
        )


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'control.db'}"
    shared: str = request.getfixturevalue("postgresql_url")
    return shared


def test_a_first_store_keeps_its_rows_and_takes_users(url: str) -> None:
    engine = create_engine(url)
    at_first_schema(engine)
    assert "access_users" not in inspect(engine).get_table_names()
    engine.dispose()
    control = open_control(url)
    book = SqlAlertBook(control.engine)
    assert control.builds.last() == Build(1, 2, 3, 4)
    assert [alert.series for alert in book.states()] == ["a"]
    assert [transition.to_state for transition in book.transitions(9)] == ["firing"]
    user = StoredUser("u1", "ann", UserKind.LOCAL, Role.ADMIN, None, 1, "test")
    assert SqlAccessBook(control.engine).users.add(user, "hash")
    assert SqlAccessBook(control.engine).users.all() == [user]
    control.close()
