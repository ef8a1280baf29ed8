"""Identity, lines and bodies: what all imports share."""

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from collector.imports.rows import Identity, ImportedSpan, ImportFileError, bodies_of, lines_of, row_count
from tests.factories.otlp_stub import spans_of

COLUMNS = ("A", "B")


def imported(row: int, *, stored: bool = False) -> ImportedSpan:
    return ImportedSpan(row, None if stored else Span(name=str(row)), 1000 + row, input_tokens=10, output_tokens=1)


def test_the_same_content_gives_the_same_ids_and_another_content_others() -> None:
    one, again, other = Identity("kind", b"x"), Identity("kind", b"x"), Identity("kind", b"y")
    assert one.import_id == again.import_id != other.import_id
    assert one.ids(7) == again.ids(7) != other.ids(7)


def test_another_kind_of_import_of_the_same_bytes_has_other_ids() -> None:
    assert Identity("a", b"x").ids(0) != Identity("b", b"x").ids(0)


def test_ids_have_the_lengths_of_otlp_and_differ_row_by_row() -> None:
    ids = [Identity("kind", b"x").ids(row) for row in range(1000)]
    assert {(len(trace), len(span)) for trace, span in ids} == {(16, 8)}
    assert len({trace for trace, _ in ids}) == 1000


@pytest.mark.parametrize(
    "content",
    [b"A,B\n1,2\n3,4\n", b"A,B\r\n1,2\r\n3,4\r\n", b"\xef\xbb\xbfA,B\n1,2\n3,4", b" A , B \n1,2\n\n3,4\n\n"],
    ids=["plain", "CRLF", "BOM, no last newline", "blank lines"],
)
def test_line_endings_and_marks_make_no_difference(content: bytes) -> None:
    assert [text for _, text in lines_of(content, COLUMNS, "letter")] == ["1,2", "3,4"]
    assert row_count(content) == 2


def test_lines_keep_the_numbers_that_an_editor_shows() -> None:
    assert [number for number, _ in lines_of(b"A,B\n1,2\n\n3,4", COLUMNS, "letter")] == [2, 4]


@pytest.mark.parametrize("content", [b"", b"\n", b"A;B\n1;2", b"B,A\n1,2", b"1,2\n", b"\xff\xfe\x00"])
def test_another_header_is_refused_with_what_was_wanted(content: bytes) -> None:
    with pytest.raises(ImportFileError, match=r"no letter file: its first line should be 'A,B'"):
        lines_of(content, COLUMNS, "letter")


def test_bodies_hold_the_rows_in_order() -> None:
    bodies = list(bodies_of(map(imported, range(5)), {"service.name": "s"}, rows_per_body=2))
    assert [(body.first_row, body.rows, body.spans) for body in bodies] == [(0, 2, 2), (2, 2, 2), (4, 1, 1)]
    names = [span.name for body in bodies for span in spans_of(ExportTraceServiceRequest.FromString(body.payload))]
    assert names == ["0", "1", "2", "3", "4"]


def test_rows_that_are_stored_already_count_but_are_not_sent() -> None:
    rows = [imported(0, stored=True), imported(1, stored=True), imported(2)]
    [body] = bodies_of(rows, {}, rows_per_body=10)
    assert (body.rows, body.spans, body.input_tokens, body.output_tokens) == (3, 1, 30, 3)
