from pathlib import Path

import pyarrow as pa
import pytest

from store.telemetry.database import WRITE_LIMITS, Database
from store.telemetry.failures import Use
from store.telemetry.incoming import Incoming
from store.telemetry.open import Telemetry
from store.telemetry.writer import Writer, tells
from tests.factories.stores import request, requests
from vocabulary.errors import StoreUnavailableError


def test_a_disk_without_space_refuses_the_batch_and_keeps_what_was_stored(telemetry: Telemetry, tmp_path: Path) -> None:
    kept, refused = request(1), request(2)
    telemetry.writer.append_requests(requests(kept))
    full = Database(telemetry.url, {"min_free_disk_bytes_to_perform_insert": 2**60}, 1, Use.INGEST)
    with pytest.raises(StoreUnavailableError, match="no disk space"):
        Writer(full, Incoming(tmp_path)).append_requests(requests(refused))
    full.close()
    assert telemetry.reader.request(kept["request_key"]) is not None
    assert telemetry.reader.request(refused["request_key"]) is None
    telemetry.writer.append_requests(requests(refused))
    assert telemetry.reader.request(refused["request_key"]) is not None


def test_an_insert_that_needs_too_much_memory_can_be_tried_again(telemetry: Telemetry, tmp_path: Path) -> None:
    small = Database(telemetry.url, {**WRITE_LIMITS, "max_memory_usage": 1_000_000}, 1, telemetry.writes.use)
    with pytest.raises(StoreUnavailableError, match="too much memory"):
        Writer(small, Incoming(tmp_path)).append_requests(requests(*(request(second) for second in range(5000))))
    small.close()
    assert telemetry.writes.use is Use.INGEST


def test_a_batch_for_a_server_goes_through_the_driver(telemetry: Telemetry) -> None:
    row = request()
    Writer(telemetry.writes, None).append_requests(requests(row))
    assert telemetry.reader.request(row["request_key"]) is not None


def test_rows_with_a_missing_column_are_a_fault_of_the_caller(telemetry: Telemetry) -> None:
    with pytest.raises(KeyError):
        telemetry.writer.append_requests(requests(request()).drop_columns(["version"]))


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        (["", ""], pa.string(), False),
        (["", "a"], pa.string(), True),
        ([None, None], pa.int64(), False),
        ([None, 0], pa.int64(), True),
        ([0, 0], pa.int64(), True),
        ([[], []], pa.list_(pa.int64()), False),
        ([[], [None]], pa.list_(pa.int64()), True),
        ([[], []], pa.map_(pa.string(), pa.string()), False),
        ([[], [("a", "")]], pa.map_(pa.string(), pa.string()), True),
        ([], pa.string(), False),
    ],
)
def test_a_column_tells_something_unless_it_is_all_defaults(
    values: list[object], kind: pa.DataType, *, expected: bool
) -> None:
    array = pa.array(values, kind)
    assert tells(pa.chunked_array([array])) is expected
    padded = pa.array([*values, *values], kind)[len(values) :]
    assert tells(pa.chunked_array([padded], kind)) is expected
