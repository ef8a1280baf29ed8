"""The fast decode says what the official protobuf runtime says, or both refuse."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from collector.otlp import decode
from collector.otlp.decode import DecodeError, check_traces, decode_checked, decode_traces
from collector.otlp.normalise import Normaliser
from collector.otlp.privacy import Privacy
from tests.collector.otlp.oddities import odd_bodies
from tests.collector.otlp.reference import comparable, parsed, reference_rows
from tests.factories.otlp import RECEIVED_NS, SALT, from_json, request, span
from tests.factories.otlp_messages import bodies

SAMPLES = Path(__file__).resolve().parents[4] / "shared" / "samples"
GENERATED = 2_000
NORMALISER = Normaliser(Privacy(SALT, capture_content=True))
needs_samples = pytest.mark.skipif(not SAMPLES.is_dir(), reason="../shared/samples is not on this machine")


def agreement(body: bytes) -> bool:
    """Whether both accept the body, having asserted that they agree."""
    message = parsed(body)
    if message is None:
        with pytest.raises(DecodeError):
            decode_traces(body)
        return False
    normalised = NORMALISER.normalise(decode_traces(body), RECEIVED_NS)
    normalised.spans.validate(full=True)
    rows, rejected = reference_rows(message)
    assert dict(normalised.rejected[0]) == rejected
    assert [comparable(row) for row in normalised.spans.to_pylist()] == rows
    return True


@pytest.mark.parametrize("seed", range(8))
def test_generated_bodies_are_read_as_the_official_runtime_reads_them(seed: int) -> None:
    accepted = sum(agreement(body) for body, _ in bodies(seed, GENERATED // 8))
    assert accepted >= 0.6 * GENERATED / 8


def test_damage_is_refused_often_enough_to_mean_something() -> None:
    refused = sum(parsed(body) is None for body, _ in bodies(0, GENERATED // 8))
    assert refused >= 0.1 * GENERATED / 8


@needs_samples
def test_the_sample_of_the_protocol_repository_is_read_as_the_official_runtime_reads_it() -> None:
    document = json.loads((SAMPLES / "opentelemetry-proto" / "otlp_trace.json").read_text())
    message = from_json(document)
    assert agreement(message.SerializeToString())
    ((only,), _) = reference_rows(message)
    assert only["trace_id"].hex() == "5b8efff798038103d269b633813fc60c"


@needs_samples
@pytest.mark.parametrize(
    "path", sorted(SAMPLES.glob("envoy-ai-gateway/openinference_span_*.json")), ids=lambda p: p.stem
)
def test_spans_recorded_from_openinference_are_read_as_the_official_runtime_reads_them(path: Path) -> None:
    recorded = json_format.ParseDict(json.loads(path.read_text()), Span())
    recorded.trace_id, recorded.span_id = b"t" * 16, b"s" * 8
    message = request(recorded, resource={"service.name": "gateway"})
    normalised = NORMALISER.normalise(decode_traces(message.SerializeToString()), RECEIVED_NS)
    ((expected,), _) = reference_rows(message)
    (row,) = [comparable(row) for row in normalised.spans.to_pylist()]
    for name in ("attr_text", "attr_int", "attr_double", "attr_json"):
        consumed = {key: item for key, item in expected[name].items() if key not in row[name]}
        assert all(key.startswith("llm.") for key in consumed), "only attributes with a column of their own may leave"
        assert row[name] == {key: item for key, item in expected[name].items() if key not in consumed}
    assert row["event_names"] == expected["event_names"]


def test_no_bytes_are_an_empty_body() -> None:
    assert NORMALISER.normalise(decode_traces(b""), RECEIVED_NS).spans.num_rows == 0


def test_envelopes_without_spans_are_no_error() -> None:
    message = ExportTraceServiceRequest()
    message.resource_spans.add().scope_spans.add()
    message.resource_spans.add()
    assert NORMALISER.normalise(decode_traces(message.SerializeToString()), RECEIVED_NS).spans.num_rows == 0


def test_a_decode_error_is_permanent() -> None:
    with pytest.raises(DecodeError) as caught:
        decode_traces(b"\xff")
    assert caught.value.permanent


def test_a_group_of_checked_bodies_is_decoded_at_once() -> None:
    ambiguous = body_with_value(length_delimited(1, b"first") + varint(3 << 3) + varint(4))
    group = [body for body, _ in bodies(99, 40) if parsed(body) is not None] + [ambiguous]
    for body in group:
        check_traces(body)
    together = NORMALISER.normalise(decode_checked(group), RECEIVED_NS)
    alone = [NORMALISER.normalise(decode_traces(body), RECEIVED_NS) for body in group]
    assert repr(together.spans.to_pylist()) == repr([row for found in alone for row in found.spans.to_pylist()])
    assert list(together.rejected) == [found.rejected[0] for found in alone]


@pytest.mark.parametrize("seed", range(1, 4))
def test_a_group_takes_every_body_that_was_checked(seed: int) -> None:
    """3,000 bodies changed field by field: unknown fields, doubled and split messages, padded lengths, odd types."""
    group = [body for body in odd_bodies(seed, 1_000) if parsed(body) is not None]
    assert len(group) > 500
    normalised = NORMALISER.normalise(decode_checked(group), RECEIVED_NS)
    expected = [row for body in group for row in reference_rows(ExportTraceServiceRequest.FromString(body))[0]]
    assert [comparable(row) for row in normalised.spans.to_pylist()] == expected


def test_what_the_fast_way_refuses_is_read_from_its_canonical_form(monkeypatch: pytest.MonkeyPatch) -> None:
    body = request(span()).SerializeToString()
    odd = body + length_delimited(1000, b"a field of a later version")
    convert = decode._convert

    def picky(bodies: list[bytes]) -> pa.RecordBatch:
        if odd in bodies:
            raise DecodeError("not like this")
        return convert(bodies)

    monkeypatch.setattr(decode, "_convert", picky)
    assert decode_checked([body, odd]).equals(convert([body, body]))


def test_what_is_checked_is_what_is_refused() -> None:
    with pytest.raises(DecodeError):
        check_traces(b"\xff")


def length_delimited(number: int, payload: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def varint(number: int) -> bytes:
    found = b""
    while number > 127:
        found += bytes([number & 127 | 128])
        number >>= 7
    return found + bytes([number])


def body_with_value(value: bytes) -> bytes:
    """A body whose one span has one attribute with this serialised AnyValue."""
    pair = length_delimited(1, b"alpha") + length_delimited(2, value)
    one = span().SerializeToString() + length_delimited(9, pair)
    return length_delimited(1, length_delimited(2, length_delimited(2, one)))


def nested(depth: int) -> bytes:
    value = length_delimited(1, b"deep")
    for _ in range(depth):
        value = length_delimited(5, length_delimited(1, value))
    return value


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(length_delimited(1, b"first") + varint(3 << 3) + varint(4), id="text then integer"),
        pytest.param(varint(3 << 3) + varint(4) + length_delimited(1, b"last"), id="integer then text"),
        pytest.param(nested(1) + length_delimited(1, b"q") + nested(1), id="array, text, array"),
        pytest.param(length_delimited(6, length_delimited(1, b"")) + nested(1), id="map then array"),
        pytest.param(nested(1) + nested(2), id="two arrays become one"),
        pytest.param(length_delimited(7, b"x") + length_delimited(7, b"y"), id="bytes twice"),
        pytest.param(varint(8 << 3) + varint(3), id="index into a string table that traces do not have"),
        pytest.param(length_delimited(1000, b"future"), id="a member of a later version"),
    ],
)
def test_of_several_members_of_a_value_the_last_wins(value: bytes) -> None:
    assert agreement(body_with_value(value))


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(length_delimited(1, b"\xff"), id="invalid UTF-8"),
        pytest.param(length_delimited(1, b"\xed\xa0\x80"), id="a lone surrogate"),
        pytest.param(length_delimited(5, length_delimited(1, b"\xff\xff")), id="bad bytes in an array"),
        pytest.param(
            length_delimited(5, length_delimited(1, length_delimited(1, b"\xff"))), id="bad UTF-8 in an array"
        ),
        pytest.param(length_delimited(6, length_delimited(1, b"\xff")), id="bad bytes in a map"),
        pytest.param(nested(200), id="nested too deeply"),
        pytest.param(length_delimited(1, b"cut")[:-1], id="truncated"),
    ],
)
def test_values_that_the_official_runtime_refuses_are_refused(value: bytes) -> None:
    assert not agreement(body_with_value(value))


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"\xa3'\x9c\x9c\xfc\x15", id="a group that ends elsewhere"),
        pytest.param(b"\xaa\x80\x80\x80\x80\x01\x01a", id="a tag beyond 32 bits"),
        pytest.param(b"\xc3\x3e" * 3000 + b"\xc4\x3e" * 3000, id="groups nested too deeply"),
    ],
)
def test_malformed_unknown_fields_are_refused(body: bytes) -> None:
    assert not agreement(body)


def test_forty_levels_of_nesting_are_read() -> None:
    assert agreement(body_with_value(nested(40)))
