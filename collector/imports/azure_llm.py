"""Azure LLM inference traces: arrival time, prompt and generated tokens; no end, no status, so outcome `unknown`."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePath

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from collector.imports.rows import (
    BadLine,
    Identity,
    ImportBody,
    ImportedSpan,
    attributes_of,
    bodies_of,
    lines_of,
    row_count,
)
from vocabulary.outcomes import Outcome
from vocabulary.pools import SECOND_NS
from vocabulary.roles import HopRole

KIND = "azure-llm"
SERVICE = "azure-llm"
COLUMNS = ("TIMESTAMP", "ContextTokens", "GeneratedTokens")
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)?")
_TOKENS_MAX = 2**31


@dataclass(frozen=True, slots=True)
class Azure:
    """One trace file, its bytes and the pool that its requests shall belong to."""

    content: bytes
    service: str
    model: str

    @property
    def identity(self) -> Identity:
        """Ids that depend on the content alone."""
        return Identity(KIND, self.content)

    @property
    def rows(self) -> int:
        """Rows below the header, usable or not."""
        return row_count(self.content)

    def bodies(self, rows_per_body: int, skip: int, bad: Callable[[BadLine], None]) -> Iterator[ImportBody]:
        """OTLP bodies in the order of the file.

        skip    usable rows that are stored already: counted, not sent
        bad     called for every line that cannot be used
        raises  ImportFileError when the header is another one
        """
        lines = lines_of(self.content, COLUMNS, "Azure LLM inference trace")
        resource = {"service.name": self.service}
        return bodies_of(self._spans(lines, skip, bad), dict(resource), rows_per_body)

    def _spans(
        self, lines: Iterator[tuple[int, str]], skip: int, bad: Callable[[BadLine], None]
    ) -> Iterator[ImportedSpan]:
        identity = self.identity
        repeated = self._repeated(identity.import_id)
        usable = 0
        for row, (number, line) in enumerate(lines):
            try:
                start_ns, prompt, generated = parse_line(line)
            except ValueError as fault:
                bad(BadLine(number, str(fault)))
                continue
            usable += 1
            told = (start_ns, prompt, generated)
            span = _span(repeated, identity.ids(row), row, told) if usable > skip else None
            yield ImportedSpan(row, span, start_ns, prompt, generated)

    def _repeated(self, import_id: str) -> Span:
        attributes = {
            "gen_ai.request.model": self.model,
            "peakline.hop_role": str(HopRole.GATEWAY),
            "peakline.outcome": str(Outcome.UNKNOWN),
            "peakline.import.id": import_id,
        }
        return Span(name="imported request", kind=Span.SPAN_KIND_SERVER, attributes=attributes_of(dict(attributes)))


def model_in(file_name: str) -> str:
    """The model that a file name tells: the word after the last underscore, `conv` for ..._conv.csv."""
    return PurePath(file_name).stem.rpartition("_")[2]


def parse_line(line: str) -> tuple[int, int, int]:
    """Start in epoch nanoseconds, prompt tokens, generated tokens.

    raises  ValueError saying what is wrong, in words for the person who has the file
    """
    cells = line.split(",")
    if len(cells) != len(COLUMNS):
        message = f"{len(COLUMNS)} columns are wanted, {len(cells)} are there"
        raise ValueError(message)
    return time_ns(cells[0].strip()), _tokens(COLUMNS[1], cells[1]), _tokens(COLUMNS[2], cells[2])


def time_ns(text: str) -> int:
    """Epoch nanoseconds of `2023-11-16 18:17:03.9799600`, exact to the last digit; UTC unless it says otherwise.

    raises  ValueError for anything else
    """
    match = _TIME.fullmatch(text)
    if match is None:
        message = f"{text[:40]!r} is no time such as 2023-11-16 18:17:03.9799600"
        raise ValueError(message)
    day, clock, fraction, zone = match.groups()
    try:
        at = datetime.fromisoformat(f"{day}T{clock}{'' if zone in (None, 'Z') else zone}")
    except ValueError as fault:
        message = f"{text[:40]!r} is no time: {fault}"
        raise ValueError(message) from fault
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return int(at.timestamp()) * SECOND_NS + int((fraction or "0").ljust(9, "0"))


def _tokens(column: str, text: str) -> int:
    text = text.strip()
    if not (text.isascii() and text.isdigit() and int(text) < _TOKENS_MAX):
        message = f"{column} {text[:20]!r} is no token count"
        raise ValueError(message)
    return int(text)


def _span(repeated: Span, ids: tuple[bytes, bytes], row: int, told: tuple[int, int, int]) -> Span:
    start_ns, prompt, generated = told
    span = Span()
    span.CopyFrom(repeated)
    span.trace_id, span.span_id = ids
    span.start_time_unix_nano = start_ns
    span.attributes.extend(
        attributes_of(
            {
                "gen_ai.usage.input_tokens": prompt,
                "gen_ai.usage.output_tokens": generated,
                "peakline.import.row": row,
            }
        )
    )
    return span
