"""Azure LLM inference traces become spans that say no more than the file does."""

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from collector.imports.azure_llm import Azure, model_in, parse_line, time_ns
from collector.imports.rows import BadLine, ImportBody, ImportFileError
from tests.factories.otlp_stub import attributes, spans_of
from tests.factories.real_data import real_file

HEADER = b"TIMESTAMP,ContextTokens,GeneratedTokens\n"
SAMPLE = HEADER + b"2023-11-16 18:17:03.9799600,4808,10\n2023-11-16 18:17:04.0319600,3180,8\n2023-11-16 18:17:05,7,0\n"


def read(content: bytes, rows_per_body: int = 2000, skip: int = 0) -> tuple[list[ImportBody], list[BadLine]]:
    bad: list[BadLine] = []
    return list(Azure(content, "azure-llm", "conv").bodies(rows_per_body, skip, bad.append)), bad


def spans(bodies: list[ImportBody]) -> list[Span]:
    return [span for body in bodies for span in spans_of(ExportTraceServiceRequest.FromString(body.payload))]


def test_a_row_becomes_a_span_with_its_start_its_tokens_and_no_end() -> None:
    bodies, bad = read(SAMPLE)
    first = spans(bodies)[0]
    assert not bad
    assert (first.start_time_unix_nano, first.end_time_unix_nano) == (1_700_158_623_979_960_000, 0)
    assert attributes(first) == {
        "gen_ai.request.model": "conv",
        "peakline.hop_role": "gateway",
        "peakline.outcome": "unknown",
        "peakline.import.id": Azure(SAMPLE, "", "").identity.import_id,
        "gen_ai.usage.input_tokens": 4808,
        "gen_ai.usage.output_tokens": 10,
        "peakline.import.row": 0,
    }


def test_every_row_is_a_trace_of_its_own() -> None:
    found = spans(read(SAMPLE)[0])
    assert len({span.trace_id for span in found}) == len(found) == 3
    assert not any(span.parent_span_id for span in found)


def test_reading_twice_gives_the_same_bytes() -> None:
    assert read(SAMPLE) == read(SAMPLE)


def test_the_split_into_bodies_changes_no_span() -> None:
    assert spans(read(SAMPLE, rows_per_body=1)[0]) == spans(read(SAMPLE)[0])


def test_a_resumed_import_sends_the_rest_with_the_ids_it_would_have_had() -> None:
    bodies, _ = read(SAMPLE, skip=2)
    assert spans(bodies) == spans(read(SAMPLE)[0])[2:]
    assert sum(body.input_tokens for body in bodies) == 4808 + 3180 + 7


def test_bad_lines_are_told_with_their_numbers_and_the_others_are_read() -> None:
    content = (
        SAMPLE
        + b"yesterday,1,2\n2023-11-16 18:17:06,-1,2\n2023-11-16 18:17:06,1\n"
        + b"2023-13-16 18:17:06,1,1\n2023-11-16 18:17:07,5,6"
    )
    bodies, bad = read(content)
    assert [line.line for line in bad] == [5, 6, 7, 8]
    assert [line.reason.split(":")[0] for line in bad] == [
        "'yesterday' is no time such as 2023-11-16 18",
        "ContextTokens '-1' is no token count",
        "3 columns are wanted, 2 are there",
        "'2023-13-16 18",
    ]
    assert [attributes(span)["peakline.import.row"] for span in spans(bodies)] == [0, 1, 2, 7]


def test_skipping_counts_usable_rows_only() -> None:
    content = HEADER + b"broken\n2023-11-16 18:17:05,1,1\nbroken\n2023-11-16 18:17:06,2,2\n"
    assert [attributes(span)["peakline.import.row"] for span in spans(read(content, skip=1)[0])] == [3]


def test_another_file_is_refused() -> None:
    with pytest.raises(ImportFileError, match="no Azure LLM inference trace file"):
        read(b"sweep,requests\n")


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("1970-01-01 00:00:00", 0),
        ("1970-01-01 00:00:01.0000001", 1_000_000_100),
        ("1970-01-01 00:00:00.123456789", 123_456_789),
        ("1970-01-01T01:00:00+01:00", 0),
        ("2024-05-10 00:00:00.009930+00:00", 1_715_299_200_009_930_000),
        ("2023-11-16 18:15:46.6805900Z", 1_700_158_546_680_590_000),
    ],
)
def test_times_are_exact_to_the_last_digit(text: str, nanoseconds: int) -> None:
    assert time_ns(text) == nanoseconds


@pytest.mark.parametrize(
    "text", ["", "2023-11-16", "2023-11-16 25:00:00", "2023-11-16 18:17:03.1234567890", "16.11.2023"]
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no time"):
        time_ns(text)


@pytest.mark.parametrize("cell", ["", "1.5", "1e3", "١", "99999999999", "-0"])
def test_what_is_no_token_count_is_refused(cell: str) -> None:
    with pytest.raises(ValueError, match="is no token count"):
        parse_line(f"2023-11-16 18:17:06,{cell},1")


def test_the_file_name_tells_the_model() -> None:
    assert model_in("AzureLLMInferenceTrace_conv.csv") == "conv"
    assert model_in("trace.csv") == "trace"


@pytest.mark.parametrize(
    ("name", "rows", "prompt", "generated"),
    [("code", 8819, 18_059_974, 245_896), ("conv", 19_366, 22_361_870, 4_088_665)],
)
def test_the_real_traces_are_read_whole(name: str, rows: int, prompt: int, generated: int) -> None:
    bodies, bad = read(real_file("azure-llm-2023", f"AzureLLMInferenceTrace_{name}.csv").read_bytes())
    totals = [(body.rows, body.input_tokens, body.output_tokens) for body in bodies]
    assert not bad
    assert tuple(map(sum, zip(*totals, strict=True))) == (rows, prompt, generated)
