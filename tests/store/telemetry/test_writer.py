from pathlib import Path

import pytest

from store.telemetry.database import Database
from store.telemetry.incoming import Incoming
from store.telemetry.open import Telemetry
from store.telemetry.writer import Writer
from tests.factories.stores import request, requests
from vocabulary.errors import StoreUnavailableError


def test_a_disk_without_space_refuses_the_batch_and_keeps_what_was_stored(telemetry: Telemetry, tmp_path: Path) -> None:
    kept, refused = request(1), request(2)
    telemetry.writer.append_requests(requests(kept))
    full = Database(telemetry.url, {"min_free_disk_bytes_to_perform_insert": 2**60}, 1)
    with pytest.raises(StoreUnavailableError, match="no disk space"):
        Writer(full, Incoming(tmp_path)).append_requests(requests(refused))
    full.close()
    assert telemetry.reader.request(kept["request_key"]) is not None
    assert telemetry.reader.request(refused["request_key"]) is None
    telemetry.writer.append_requests(requests(refused))
    assert telemetry.reader.request(refused["request_key"]) is not None


def test_a_batch_for_a_server_goes_through_the_driver(telemetry: Telemetry) -> None:
    row = request()
    Writer(telemetry.writes, None).append_requests(requests(row))
    assert telemetry.reader.request(row["request_key"]) is not None


def test_rows_with_a_missing_column_are_a_fault_of_the_caller(telemetry: Telemetry) -> None:
    with pytest.raises(KeyError):
        telemetry.writer.append_requests(requests(request()).drop_columns(["version"]))
