from pathlib import Path

import pytest
from sqlalchemy import inspect, text
from sqlalchemy.engine import make_url

from store.control.builds import Build
from store.control.open import Control, open_control
from store.control.tables import CONTROL
from store.errors import MissingStoreError


@pytest.mark.parametrize("kind", ["control", "shared_control"])
def test_migrations_end_at_the_declared_tables(kind: str, request: pytest.FixtureRequest) -> None:
    inspector = inspect(request.getfixturevalue(kind).engine)
    for table in CONTROL.sorted_tables:
        found = {column["name"]: bool(column["nullable"]) for column in inspector.get_columns(table.name)}
        assert found == {column.name: bool(column.nullable) for column in table.columns}
        assert {index["name"] for index in inspector.get_indexes(table.name)} == {one.name for one in table.indexes}


def test_sqlite_is_durable_and_waits_for_other_writers(control: Control) -> None:
    with control.engine.connect() as connection:
        found = [connection.execute(text(f"PRAGMA {name}")).scalar() for name in ("journal_mode", "synchronous")]
        assert found == ["wal", 2]
        assert connection.execute(text("PRAGMA busy_timeout")).scalar() == 5000


def test_what_was_committed_is_there_after_opening_again(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'control.db'}"
    first = open_control(url)
    first.builds.commit(Build(1, 2, 3, 4))
    first.close()
    second = open_control(url)
    assert second.builds.last() == Build(1, 2, 3, 4)
    second.close()


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("foo://x", "foo:// is no database it can use"),
        ("mysql://u:hunter2@h/db", "mysql:// is no database it can use"),
        ("garbage", "this is no database URL"),
        ("sqlite://", "its URL names no file"),
        ("postgresql://u:hunter2@127.0.0.1:1/db", "127.0.0.1:1/db cannot be opened: no server answers there."),
    ],
)
def test_a_url_that_names_no_usable_database_is_said_in_one_sentence(url: str, reason: str) -> None:
    with pytest.raises(MissingStoreError) as caught:
        open_control(url)
    assert str(caught.value).startswith("The control store ")
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_a_database_that_the_server_lacks_is_named_in_one_sentence(postgresql_url: str) -> None:
    address = make_url(postgresql_url).set(database="nowhere")
    with pytest.raises(MissingStoreError, match=r'cannot be opened: database "nowhere" does not exist\.$'):
        open_control(address.render_as_string(hide_password=False))


def test_a_file_that_is_no_database_is_said(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no database " * 100, encoding="utf-8")
    with pytest.raises(MissingStoreError, match=r"cannot be opened: file is not a database\.$"):
        open_control(f"sqlite:///{tmp_path / 'notes.txt'}")


def test_a_database_that_cannot_be_opened_is_said_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(MissingStoreError, match=r"^The control store .* cannot be opened: .*\.$"):
        open_control(f"sqlite:///{tmp_path / 'no' / 'control.db'}")
