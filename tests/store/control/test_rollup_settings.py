from pathlib import Path

from sqlalchemy import text

from store.control.open import Control, open_control
from store.control.rollup_settings import RollupSettings
from vocabulary.services import ServiceBook, ServiceDefinition, counted_book


def test_a_new_store_remembers_nothing(any_control: Control) -> None:
    assert RollupSettings(any_control.engine).counted_kinds() == ()


def test_what_is_remembered_takes_the_place_of_what_was(any_control: Control) -> None:
    settings = RollupSettings(any_control.engine)
    settings.remember_counted_kinds(["one", "two"])
    settings.remember_counted_kinds(["two"])
    assert RollupSettings(any_control.engine).counted_kinds() == ("two",)


def test_names_of_services_are_kept_letter_by_letter(any_control: Control) -> None:
    book = ServiceBook((ServiceDefinition("客服'\"\\", "*"),))
    settings = RollupSettings(any_control.engine)
    settings.remember_counted_kinds([book.counted_text])
    assert counted_book(settings.counted_kinds()[0]) == book


def test_an_older_store_gains_the_table_and_keeps_its_builds(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'control.db'}"
    older = open_control(url)
    with older.engine.begin() as connection:
        connection.execute(text("INSERT INTO rollup_builds VALUES (7, 41, 3, 100)"))
        connection.execute(text("DROP TABLE rollup_settings"))
        connection.execute(text("UPDATE alembic_version SET version_num = 'c0002_access'"))
    older.close()
    newer = open_control(url)
    assert newer.builds.last().version == 41
    assert RollupSettings(newer.engine).counted_kinds() == ()
    newer.close()
