"""An old store with rows is opened by this version; each step is a process of its own, as the engine wants."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.house.tree import ROOT

OLD = """
import sys
from alembic import command
from alembic.config import Config
from sqlalchemy import text
from store.telemetry import open as opening
from tests.factories.stores import ledger, request, requests, span, spans

def migrate(connection, scripts, what):
    config = Config()
    config.set_main_option("script_location", str(scripts))
    config.attributes["connection"] = connection
    command.upgrade(config, "t0002_indexes")

opening.migrate = migrate
store = opening.open_telemetry(sys.argv[1])
store.writer.append_spans(spans(span(trace_id=bytes(15) + b"t", commit_seq=4)))
store.writer.append_requests(requests(request(request_key=bytes(15) + b"k", version=4)))
store.writer.append_ledger(ledger({"commit_seq": 4, "records": 1}))
print(sorted(row["name"] for row in store.reads.rows(text("SHOW TABLES"))))
store.close()
"""
NEW = """
import sys, json
from sqlalchemy import text
from store.telemetry.open import open_telemetry
from tests.factories.changes import change
from tests.factories.stores import START_NS
from vocabulary.pools import Window

store = open_telemetry(sys.argv[1])
day = Window(START_NS, START_NS + 86_400 * 10**9)
before = store.reader.changes(day, 10)
store.writer.append_changes([change(event_id="one")])
found = {
    "revisions": [row["version_num"] for row in store.reads.rows(text("SELECT version_num FROM alembic_version"))],
    "spans": store.reader.spans(bytes(15) + b"t", 10)[0].num_rows,
    "request": store.reader.request(bytes(15) + b"k")["service"],
    "last_commit": store.reader.last_commit(),
    "before": len(before),
    "after": [event.event_id for event in store.reader.changes(day, 10)],
}
print(json.dumps(found))
store.close()
"""


def said(script: str, url: str) -> str:
    """The last line that a process with this script prints."""
    command = [sys.executable, "-c", script, url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def old_store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The URL of a store of the version before, with a span, a request and a ledger."""
    folder: Path = tmp_path_factory.mktemp("old") / "store"
    url = f"clickhousedb://?interface=chdb&path={folder}"
    assert "change_events" not in said(OLD, url)
    return url


def test_an_old_store_keeps_its_rows_and_takes_changes(old_store: str) -> None:
    found: dict[str, Any] = json.loads(said(NEW, old_store))
    again: dict[str, Any] = json.loads(said(NEW, old_store))
    kept = {"spans": 1, "request": "chat", "last_commit": 4, "after": ["one"]}
    assert found == {**kept, "revisions": ["t0003_change_events"], "before": 0}
    assert again == {**found, "before": 1}
