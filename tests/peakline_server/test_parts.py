"""The data folder is used only when it is really there; one process rebuilds rollups, others follow."""

import os
from pathlib import Path

import pytest

from collector.ingest import ledger_rows
from peakline_server.parts import DataFolderError, prepare_folder, rollup_round
from peakline_server.settings import Role
from store.contract import RequestFilter
from store.control.open import Control
from store.telemetry.open import Telemetry
from tests.factories.requests import minute_of_traffic
from tests.factories.stores import START_NS
from vocabulary.pools import MINUTE_NS, Pool, Window


def test_a_missing_folder_is_not_made_silently(tmp_path: Path) -> None:
    with pytest.raises(DataFolderError, match="does not exist; make it, or add --init"):
        prepare_folder(tmp_path / "typo", create=False)


def test_init_makes_the_folder_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    prepare_folder(folder, create=True)
    prepare_folder(folder, create=True)
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_with_other_files_is_not_filled(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(DataFolderError, match=r"holds other files \(thesis.txt"):
        prepare_folder(tmp_path, create=True)


def test_files_beside_our_own_are_nobodys_business(tmp_path: Path) -> None:
    (tmp_path / "control.sqlite").touch()
    (tmp_path / "notes.txt").touch()
    prepare_folder(tmp_path, create=False)


def test_a_file_in_the_way_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataFolderError, match="cannot be made"):
        prepare_folder(tmp_path / "file", create=True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_of_someone_else_is_one_sentence(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(DataFolderError, match="cannot be read and written"):
        prepare_folder(tmp_path, create=False)


_HOUR = Window(START_NS, START_NS + 60 * MINUTE_NS)


def test_an_evaluator_rebuilds_what_another_process_stored_and_a_web_process_follows(
    telemetry: Telemetry, control: Control
) -> None:
    rows = minute_of_traffic(0, 5)
    telemetry.writer.append_requests(rows)
    telemetry.writer.append_ledger(ledger_rows(START_NS, max(rows["version"].to_pylist()), {"stored": 5}, 1))
    row = telemetry.reader.requests(_HOUR, RequestFilter(), 1).rows
    pool = Pool(row["service"][0].as_py(), row["model"][0].as_py())
    rollup_round(Role.EVALUATOR, telemetry.rollup(control))()
    telemetry.reader.current_build.number = 0
    assert telemetry.reader.minutes(pool, _HOUR).num_rows == 0
    web = telemetry.rollup(control)
    telemetry.reader.current_build.number = 0
    rollup_round(Role.WEB, web)()
    assert sum(telemetry.reader.minutes(pool, _HOUR)["requests"].to_pylist()) == 5


def test_a_process_that_does_all_rebuilds_without_looking_for_others(telemetry: Telemetry, control: Control) -> None:
    rollup = telemetry.rollup(control)
    assert rollup_round(Role.ALL, rollup) == rollup.run
