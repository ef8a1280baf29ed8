import pyarrow as pa
from sqlalchemy import func, select

from store.telemetry.ids import CHUNK, chunks, id_set, one_id
from store.telemetry.open import Telemetry

AWKWARD = [b"\0" * 8, b"'\\%\n\r\t`\"", b"\xff" * 8, bytes(range(39, 47))]


def test_any_byte_survives_the_way_into_a_statement(telemetry: Telemetry) -> None:
    for value in AWKWARD:
        assert telemetry.reads.table(select(func.toFixedString(one_id(value), 8))).column(0)[0].as_py() == value
    assert telemetry.reads.table(id_set(AWKWARD, 8)).column(0).to_pylist() == AWKWARD


def test_chunks_hold_each_id_once_and_fit_into_a_statement() -> None:
    values = pa.array([number.to_bytes(16, "big") for number in range(CHUNK + 1)] * 2, pa.binary(16))
    found = chunks(values)
    assert [len(chunk) for chunk in found] == [CHUNK, 1]
    assert chunks(values.slice(0, 0)) == []


def test_chunks_take_the_columns_of_tables() -> None:
    column = pa.chunked_array([[b"a" * 8], [b"b" * 8, b"a" * 8]], pa.binary(8))
    assert chunks(column) == [[b"a" * 8, b"b" * 8]]
