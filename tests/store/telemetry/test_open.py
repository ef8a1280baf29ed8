import subprocess
import sys
from pathlib import Path

import pytest

from store.errors import MissingStoreError, StoreLockedError
from store.telemetry.open import Telemetry, open_telemetry

OPEN = """
import sys
from store.telemetry.open import open_telemetry
from sqlalchemy import text
from vocabulary.errors import PeaklineError
try:
    store = open_telemetry(sys.argv[1])
    if len(sys.argv) > 2:
        store.writes.execute(text(sys.argv[2]))
    print(store.reader.last_commit(), len(store.reads.rows(text("SHOW TABLES"))))
    store.close()
except PeaklineError as error:
    print(type(error).__name__, error)
"""


def opened(url: str, *statement: str) -> str:
    """What another process says when it opens the store."""
    command = [sys.executable, "-W", "error", "-c", OPEN, url, *statement]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout.strip()


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"clickhousedb://?interface=chdb&path={tmp_path / 'new' / 'store'}"


def test_a_new_folder_is_made_and_migrated_and_opens_again(url: str) -> None:
    assert opened(url) == "0 5"
    assert opened(url) == "0 5"


def test_a_newer_schema_is_refused_and_left_alone(url: str) -> None:
    opened(url, "INSERT INTO alembic_version VALUES ('t9999_future')")
    answer = opened(url)
    assert answer.startswith("NewerSchemaError The telemetry store was written by a newer version of Peakline")
    assert "t9999_future" in answer


def test_a_folder_in_use_is_refused_with_the_owner_named(telemetry: Telemetry) -> None:
    answer = opened(telemetry.url)
    assert answer.startswith("StoreLockedError The data folder ")
    assert "in use by another process (pid " in answer
    with pytest.raises(StoreLockedError):
        open_telemetry(telemetry.url)


def test_a_server_that_does_not_answer_is_said_in_one_sentence() -> None:
    with pytest.raises(MissingStoreError, match="cannot be opened") as caught:
        open_telemetry("clickhousedb://nobody:secret@127.0.0.1:1/peakline")
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)
