"""What every import is made of: rows with a place, bodies in order, and rows that cannot be used."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

from vocabulary.errors import PeaklineError

SCOPE = "peakline.import"
_BOM = b"\xef\xbb\xbf"

AttributeValue = str | bool | int | float


class ImportFileError(PeaklineError):
    """The file as a whole cannot be imported; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that was left out.

    line    its number in the file, from 1
    reason  what is wrong with it
    """

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class ImportedSpan:
    """One usable row of an import.

    row       its place among the file's rows, from 0
    span      what is to be sent; None for a row that is stored already
    start_ns  when it arrived, epoch nanoseconds
    """

    row: int
    span: Span | None
    start_ns: int
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ImportBody:
    """One OTLP body of an import. Bodies come in the order of their rows.

    payload    a serialised ExportTraceServiceRequest; empty of spans where all rows are stored already
    first_row  the first row that it stands for
    rows       usable rows that it stands for
    spans      spans in it: rows that are not stored yet
    first_ns   the earliest arrival among its rows, epoch nanoseconds
    last_ns    the latest one
    """

    payload: bytes
    first_row: int
    rows: int
    spans: int
    input_tokens: int
    output_tokens: int
    first_ns: int
    last_ns: int


class Identity:
    """Ids of an import: the same file gives the same ids, so that importing it again counts once."""

    def __init__(self, kind: str, content: bytes) -> None:
        self._digest = blake2b(content, digest_size=32, person=kind.encode()[:16]).digest()
        self.import_id = f"{kind}-{self._digest[:8].hex()}"

    def ids(self, row: int) -> tuple[bytes, bytes]:
        """Trace id (16 bytes) and span id (8 bytes) of a row."""
        digest = blake2b(row.to_bytes(8, "little"), key=self._digest, digest_size=24).digest()
        return digest[:16], digest[16:]


def lines_of(content: bytes, columns: tuple[str, ...], kind: str) -> Iterator[tuple[int, str]]:
    """(line number from 1, line) of a CSV with this header; empty lines are passed over.

    raises  ImportFileError when the header is another one
    """
    lines = content.removeprefix(_BOM).splitlines()
    wanted = ",".join(columns)
    header = lines[0].decode("utf-8", "replace").strip() if lines else ""
    if [name.strip() for name in header.split(",")] != list(columns):
        message = f"this is no {kind} file: its first line should be {wanted!r} and is {header[:80]!r}"
        raise ImportFileError(message)
    return (
        (number, text) for number, line in enumerate(lines[1:], 2) if (text := line.decode("utf-8", "replace").strip())
    )


def row_count(content: bytes) -> int:
    """Rows below the header, usable or not; for a progress bar."""
    return max(sum(1 for line in content.removeprefix(_BOM).splitlines() if line.strip()) - 1, 0)


def attributes_of(values: dict[str, AttributeValue]) -> list[KeyValue]:
    """OTLP attributes of texts, flags, integers and numbers."""
    return [KeyValue(key=key, value=_any_value(value)) for key, value in values.items()]


def _any_value(value: AttributeValue) -> AnyValue:
    if isinstance(value, str):
        return AnyValue(string_value=value)
    if isinstance(value, bool):
        return AnyValue(bool_value=value)
    if isinstance(value, int):
        return AnyValue(int_value=value)
    return AnyValue(double_value=value)


def bodies_of(
    spans: Iterable[ImportedSpan], resource: dict[str, AttributeValue], rows_per_body: int
) -> Iterator[ImportBody]:
    """Bodies that stand for at most `rows_per_body` rows each, in order."""
    head = Resource(attributes=attributes_of(resource))
    scope = InstrumentationScope(name=SCOPE)
    remaining = iter(spans)
    while batch := list(islice(remaining, rows_per_body)):
        unsent = [imported.span for imported in batch if imported.span is not None]
        scope_spans = ScopeSpans(scope=scope, spans=unsent)
        message = ExportTraceServiceRequest(resource_spans=[ResourceSpans(resource=head, scope_spans=[scope_spans])])
        yield ImportBody(
            payload=message.SerializeToString(),
            first_row=batch[0].row,
            rows=len(batch),
            spans=len(unsent),
            input_tokens=sum(imported.input_tokens for imported in batch),
            output_tokens=sum(imported.output_tokens for imported in batch),
            first_ns=min(imported.start_ns for imported in batch),
            last_ns=max(imported.start_ns for imported in batch),
        )
