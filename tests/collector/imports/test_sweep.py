"""Sweeps become load tests whose outcome counts are exactly those of the file."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime
from itertools import pairwise

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from collector.imports.rows import BadLine, ImportFileError
from collector.imports.sweep import COLUMNS, Step, Sweeps, day_in, latest_day, parse_step, started, steps_in
from tests.factories.otlp_stub import attributes, spans_of
from tests.factories.real_data import real_file
from vocabulary.outcomes import Outcome

HEADER = (",".join(COLUMNS) + "\n").encode()
SAMPLE = (
    HEADER
    + b"night_2025-12-09,5.0,10,7,2,1,10,2,0.4\nnight_2025-12-09,10.0,4,4,0,0,10,90,0.3\nday,1.0,2,0,2,0,3,2,3.0\n"
)
DAY = date(2025, 1, 2)


def steps(content: bytes) -> tuple[list[Step], list[BadLine]]:
    bad: list[BadLine] = []
    return steps_in(content, bad.append), bad


def spans(content: bytes, *, skip: int = 0, model: str = "") -> list[Span]:
    bodies = Sweeps(content, "gw", model, DAY).bodies(steps(content)[0], 7, skip)
    return [span for body in bodies for span in spans_of(ExportTraceServiceRequest.FromString(body.payload))]


def counts(found: Sequence[Span]) -> Counter[tuple[object, object, object]]:
    told = map(attributes, found)
    return Counter((a["peakline.load_test.id"], a["peakline.load_test.step"], a["peakline.outcome"]) for a in told)


def test_outcomes_are_counted_exactly_as_the_file_says() -> None:
    assert counts(spans(SAMPLE)) == {
        ("night_2025-12-09", 0, "completed"): 7,
        ("night_2025-12-09", 0, "timed_out"): 2,
        ("night_2025-12-09", 0, "failed"): 1,
        ("night_2025-12-09", 1, "completed"): 4,
        ("day", 0, "timed_out"): 2,
    }


def test_a_span_tells_its_step_and_how_it_ended_and_no_duration() -> None:
    timed_out = next(span for span in spans(SAMPLE) if attributes(span)["peakline.outcome"] == "timed_out")
    told = attributes(timed_out)
    assert told["error.type"] == "timeout"
    assert "http.response.status_code" not in told
    assert (told["peakline.load_test.offered_rps"], told["peakline.load_test.client_timeout_s"]) == (5.0, 10.0)
    assert told["peakline.load_test.step_p50_s"] == 0.4
    assert (timed_out.end_time_unix_nano, timed_out.status.code) == (0, Status.STATUS_CODE_ERROR)


def test_every_span_says_that_it_is_synthetic() -> None:
    assert {attributes(span)["peakline.synthetic"] for span in spans(SAMPLE)} == {True}
    values = {a.key: a.value.WhichOneof("value") for span in spans(SAMPLE) for a in span.attributes}
    assert values["peakline.synthetic"] == "bool_value"


def test_statuses_are_those_of_the_columns() -> None:
    told = [attributes(span) for span in spans(SAMPLE)]
    by_outcome = {a["peakline.outcome"]: a.get("http.response.status_code") for a in told}
    assert by_outcome == {"completed": 200, "failed": 500, "timed_out": None}


def test_requests_start_evenly_at_the_offered_rate() -> None:
    starts = [span.start_time_unix_nano for span in spans(SAMPLE)[:10]]
    assert {later - sooner for sooner, later in pairwise(starts)} == {200_000_000}


def test_sweeps_begin_on_their_own_day_and_steps_on_the_next_full_minute() -> None:
    begins = [datetime.fromtimestamp(start_ns / 1e9, UTC) for _, start_ns in started(steps(SAMPLE)[0], DAY)]
    assert begins == [
        datetime(2025, 12, 9, 0, 0, tzinfo=UTC),
        datetime(2025, 12, 9, 0, 1, tzinfo=UTC),
        datetime(2025, 1, 2, 0, 0, tzinfo=UTC),
    ]


def test_a_resumed_import_sends_the_rest_with_the_ids_it_would_have_had() -> None:
    assert spans(SAMPLE, skip=11) == spans(SAMPLE)[11:]


def test_the_model_is_told_only_when_it_is_known() -> None:
    assert "gen_ai.request.model" not in attributes(spans(SAMPLE)[0])
    assert attributes(spans(SAMPLE, model="m")[0])["gen_ai.request.model"] == "m"


def test_outcomes_are_spread_over_the_step() -> None:
    step = parse_step("s,1,100,50,50,0,1,1,1", 0, 2)
    assert Counter(step.outcomes()[:50]) == {Outcome.COMPLETED: 25, Outcome.TIMED_OUT: 25}


def test_a_row_that_does_not_add_up_is_refused_with_its_line_and_the_others_keep_their_steps() -> None:
    content = HEADER + b"s,5,10,7,2,1,10,2,1\ns,10,10,7,2,2,10,2,1\ns,20,1,1,0,0,10,2,1\n"
    found, bad = steps(content)
    assert bad == [BadLine(3, "ok_200 + code_0 + code_500 = 11, but requests = 10")]
    assert [(step.number, step.rate_rps) for step in found] == [(0, 5.0), (2, 20.0)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("s,5,10,7,2,1,10,2", "9 columns are wanted, 8 are there"),
        (",5,10,7,2,1,10,2,1", "the sweep has no name"),
        ("s,5,-1,7,2,1,10,2,1", "requests '-1' is no count"),
        ("s,0,10,7,2,1,10,2,1", "measured_rate_rps '0' is no number above 0"),
        ("s,nan,10,7,2,1,10,2,1", "measured_rate_rps 'nan' is no number above 0"),
        ("s,5,10,7,2,1,10,soon,1", "duration_s 'soon' is no number above 0"),
        ("s,5,99999999999,7,2,1,10,2,1", "requests '99999999999' is no count"),
    ],
)
def test_what_is_wrong_is_said(line: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_step(line, 0, 2)


def test_another_file_is_refused() -> None:
    with pytest.raises(ImportFileError, match="no sweep file"):
        steps(b"TIMESTAMP,ContextTokens,GeneratedTokens\n")


def test_the_date_is_read_from_the_name() -> None:
    assert day_in("baseline_2025-12-09") == date(2025, 12, 9)
    assert day_in("concurrency") is None
    assert day_in("run_2025-13-09") is None
    assert latest_day(steps(SAMPLE)[0]) == date(2025, 12, 9)
    assert latest_day([]) is None


def test_the_real_sweeps_are_read_whole() -> None:
    found, bad = steps(real_file("gateway-overload-bud", "sweeps.csv").read_bytes())
    assert not bad
    assert sum(step.requests for step in found) == 41_261
    baseline = [step for step in found if step.sweep == "baseline_2025-12-09"]
    shares = [round(1 - step.completed / step.requests, 3) for step in baseline]
    assert shares == [0.1, 0.05, 0.08, 0.085, 0.06, 0.144, 0.308, 0.622]


def test_the_real_sweeps_become_one_span_per_request() -> None:
    content = real_file("gateway-overload-bud", "sweeps.csv").read_bytes()
    found, _ = steps(content)
    bodies = list(Sweeps(content, "gw", "", DAY).bodies(found, 5000, 0))
    told = counts([span for body in bodies for span in spans_of(ExportTraceServiceRequest.FromString(body.payload))])
    assert sum(told.values()) == 41_261
    assert all(told[(step.sweep, step.number, "completed")] == step.completed for step in found)
