import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from store.errors import MissingStoreError, StoreLockedError
from store.telemetry.open import Telemetry, drop_torn_mutations, open_telemetry

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
    assert opened(url) == "0 6"
    assert opened(url) == "0 6"


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


def refused(url: str) -> str:
    """What a person reads who gave this URL."""
    with pytest.raises(MissingStoreError) as caught:
        open_telemetry(url)
    assert "hunter2" not in str(caught.value)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_server_that_does_not_answer_is_said_in_one_sentence(capfd: pytest.CaptureFixture[str]) -> None:
    told = refused("clickhousedb://nobody:hunter2@127.0.0.1:1/peakline")
    where = "clickhousedb://127.0.0.1:1/peakline"
    assert told == f"The telemetry store at {where} cannot be opened: it does not answer."
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("foo://x", "foo:// is no database it can use"),
        ("sqlite:///x", "sqlite:// is no database it can use"),
        ("garbage", "this is no database URL"),
        ("clickhousedb://u:hunter2@h:x/db", "this is no database URL"),
        ("clickhousedb://?interface=chdb", "its URL names no folder"),
    ],
)
def test_a_url_that_names_no_usable_store_is_said_in_one_sentence(url: str, reason: str) -> None:
    assert reason in refused(url)


class Refusing(BaseHTTPRequestHandler):
    """A ClickHouse server that knows nobody."""

    def do_POST(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        self.send_response(403)
        self.send_header("X-ClickHouse-Exception-Code", "516")
        self.end_headers()
        self.wfile.write(b"Code: 516. DB::Exception: nobody: Authentication failed (AUTHENTICATION_FAILED)")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_a_server_that_refuses_the_password_is_said_in_one_sentence() -> None:
    with HTTPServer(("127.0.0.1", 0), Refusing) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        told = refused(f"clickhousedb://nobody:hunter2@127.0.0.1:{server.server_port}/peakline")
        server.shutdown()
    assert told.endswith("cannot be opened: the server refuses the user or the password.")


def test_a_mutation_entry_that_a_full_disk_tore_does_not_keep_the_store_shut(tmp_path: Path) -> None:
    table = tmp_path / "store" / "abc" / "abcdef"
    table.mkdir(parents=True)
    (table / "mutation_2.txt").write_bytes(b"")
    (table / "mutation_3.txt").write_bytes(b"format version: 1\ncreate ti")
    (table / "mutation_4.txt").write_bytes(b"format version: 1\ncreate time: x\ncommands: DELETE\n")
    assert drop_torn_mutations(tmp_path) == 2
    assert [path.name for path in table.iterdir()] == ["mutation_4.txt"]
