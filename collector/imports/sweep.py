"""Load-test sweeps: offered rate and outcome counts per step become one load test per sweep name.

The file tells how many requests ended how, not which ones and not how long they took: arrivals are spread evenly
over the step as its load generator sent them, outcomes evenly among them, and no end time is made up. Every span
is marked `peakline.synthetic`: the counts were measured, the single requests were not.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime

from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from collector.imports.rows import (
    AttributeValue,
    BadLine,
    Identity,
    ImportBody,
    ImportedSpan,
    attributes_of,
    bodies_of,
    lines_of,
)
from vocabulary.outcomes import Outcome
from vocabulary.pools import MINUTE_NS, SECOND_NS
from vocabulary.roles import HopRole

KIND = "sweep"
SERVICE = "load-test"
COLUMNS = (
    *("sweep", "measured_rate_rps", "requests", "ok_200", "code_0", "code_500"),
    *("client_timeout_s", "duration_s", "p50_s"),
)
_DATE = re.compile(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)")
_REQUESTS_MAX = 10_000_000


@dataclass(frozen=True, slots=True)
class Step:
    """One row of the file: one level of load and how its requests ended.

    number  ordinal of the step within its sweep, from 0
    line    its line in the file, from 1
    """

    sweep: str
    number: int
    line: int
    rate_rps: float
    requests: int
    completed: int
    timed_out: int
    failed: int
    client_timeout_s: float
    duration_s: float
    p50_s: float

    def outcomes(self) -> list[Outcome]:
        """(requests,) outcomes with the exact counts, spread evenly."""
        counts = {
            Outcome.COMPLETED: self.completed,
            Outcome.TIMED_OUT: self.timed_out,
            Outcome.FAILED: self.failed,
        }
        places = sorted(
            ((ordinal + 0.5) / count, outcome) for outcome, count in counts.items() for ordinal in range(count)
        )
        return [outcome for _, outcome in places]


@dataclass(frozen=True, slots=True)
class Sweeps:
    """One sweep file, its bytes and the pool that its requests shall belong to; model '' when unknown.

    day  date of sweeps whose name tells none
    """

    content: bytes
    service: str
    model: str
    day: date

    def bodies(self, steps: Iterable[Step], rows_per_body: int, skip: int) -> Iterator[ImportBody]:
        """OTLP bodies of the steps in order, one span per request; `skip` requests are stored already."""
        resource: dict[str, AttributeValue] = {"service.name": self.service}
        return bodies_of(self._spans(steps, skip), resource, rows_per_body)

    def _spans(self, steps: Iterable[Step], skip: int) -> Iterator[ImportedSpan]:
        identity = import_identity(self.content)
        row = 0
        for step, start_ns in started(steps, self.day):
            repeated = {outcome: self._repeated(identity.import_id, step, outcome) for outcome in Outcome}
            for ordinal, outcome in enumerate(step.outcomes()):
                at_ns = start_ns + int(ordinal * SECOND_NS / step.rate_rps)
                span = _span(repeated[outcome], identity.ids(row), row, at_ns) if row >= skip else None
                yield ImportedSpan(row, span, at_ns)
                row += 1

    def _repeated(self, import_id: str, step: Step, outcome: Outcome) -> Span:
        attributes: dict[str, AttributeValue] = {
            "peakline.hop_role": str(HopRole.CLIENT),
            "peakline.outcome": str(outcome),
            "peakline.import.id": import_id,
            "peakline.synthetic": True,
            "peakline.load_test.id": step.sweep,
            "peakline.load_test.step": step.number,
            "peakline.load_test.offered_rps": step.rate_rps,
            "peakline.load_test.client_timeout_s": step.client_timeout_s,
            "peakline.load_test.step_p50_s": step.p50_s,
        }
        attributes.update(_ENDINGS.get(outcome, {}))
        if self.model:
            attributes["gen_ai.request.model"] = self.model
        status = Status(code=Status.STATUS_CODE_ERROR) if outcome is not Outcome.COMPLETED else Status()
        return Span(
            name="load test request", kind=Span.SPAN_KIND_CLIENT, attributes=attributes_of(attributes), status=status
        )


_ENDINGS: dict[Outcome, dict[str, AttributeValue]] = {
    Outcome.COMPLETED: {"http.response.status_code": 200},
    Outcome.FAILED: {"http.response.status_code": 500, "error.type": "500"},
    Outcome.TIMED_OUT: {"error.type": "timeout"},
}


def import_identity(content: bytes) -> Identity:
    """Ids that depend on the content alone."""
    return Identity(KIND, content)


def steps_in(content: bytes, bad: Callable[[BadLine], None]) -> list[Step]:
    """Usable steps in the order of the file.

    bad     called for every line that cannot be used
    raises  ImportFileError when the header is another one
    """
    steps: list[Step] = []
    numbers: dict[str, int] = {}
    for line, text in lines_of(content, COLUMNS, "sweep"):
        name = text.partition(",")[0].strip()
        number = numbers.get(name, 0)
        numbers[name] = number + 1  # a refused row keeps its number, so that others keep theirs
        try:
            steps.append(parse_step(text, number, line))
        except ValueError as fault:
            bad(BadLine(line, str(fault)))
    return steps


def latest_day(steps: Iterable[Step]) -> date | None:
    """The latest date that a sweep's name tells."""
    return max((day for step in steps if (day := day_in(step.sweep))), default=None)


def day_in(name: str) -> date | None:
    """The date that a sweep's name tells, None when there is none."""
    match = _DATE.search(name)
    try:
        return date(*map(int, match.groups())) if match else None
    except ValueError:
        return None


def started(steps: Iterable[Step], day: date) -> Iterator[tuple[Step, int]]:
    """Each step with its start, epoch nanoseconds: sweeps begin at midnight, steps follow on the next full minute."""
    ends: dict[str, int] = {}
    for step in steps:
        midnight = datetime.combine(day_in(step.sweep) or day, datetime.min.time(), tzinfo=UTC)
        start_ns = ends.get(step.sweep, int(midnight.timestamp()) * SECOND_NS)
        took_ns = int(max(step.duration_s, step.requests / step.rate_rps) * SECOND_NS)
        ends[step.sweep] = start_ns + -(-took_ns // MINUTE_NS) * MINUTE_NS
        yield step, start_ns


def parse_step(text: str, number: int, line: int) -> Step:
    """One row.

    raises  ValueError saying what is wrong, in words for the person who has the file
    """
    cells = [cell.strip() for cell in text.split(",")]
    if len(cells) != len(COLUMNS):
        message = f"{len(COLUMNS)} columns are wanted, {len(cells)} are there"
        raise ValueError(message)
    named = dict(zip(COLUMNS, cells, strict=True))
    if not named["sweep"]:
        message = "the sweep has no name"
        raise ValueError(message)
    requests, completed, timed_out, failed = (_count(named, column) for column in COLUMNS[2:6])
    if completed + timed_out + failed != requests:
        message = f"ok_200 + code_0 + code_500 = {completed + timed_out + failed}, but requests = {requests}"
        raise ValueError(message)
    numbers = [_number(named, column) for column in ("measured_rate_rps", *COLUMNS[6:])]
    return Step(named["sweep"], number, line, numbers[0], requests, completed, timed_out, failed, *numbers[1:])


def _count(named: dict[str, str], column: str) -> int:
    text = named[column]
    if not (text.isascii() and text.isdigit() and int(text) <= _REQUESTS_MAX):
        message = f"{column} {text[:20]!r} is no count up to {_REQUESTS_MAX:,}"
        raise ValueError(message)
    return int(text)


def _number(named: dict[str, str], column: str) -> float:
    try:
        value = float(named[column])
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        message = f"{column} {named[column][:20]!r} is no number above 0"
        raise ValueError(message)
    return value


def _span(repeated: Span, ids: tuple[bytes, bytes], row: int, start_ns: int) -> Span:
    span = Span()
    span.CopyFrom(repeated)
    span.trace_id, span.span_id = ids
    span.start_time_unix_nano = start_ns
    span.attributes.extend(attributes_of({"peakline.import.row": row}))
    return span
