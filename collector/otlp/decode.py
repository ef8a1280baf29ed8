"""Protobuf bytes to Arrow in one native call.

`ptars` converts; the official protobuf runtime decides what is valid, because ptars is laxer: it leaves the items of
arrays and maps serialised and therefore unchecked (bad bytes, nesting bombs), and skips unknown fields with over-long
tags, deep groups or groups that end elsewhere. The official parse costs a sixth of the conversion. Where several
members of one `oneof` are set, protobuf keeps the last and ptars all; such a body is converted from its canonical form,
and so would be one that ptars refuses and protobuf accepts, of which none is known.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import ptars
import pyarrow as pa
from google.protobuf.message import DecodeError as ProtobufError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from collector.otlp.columnar import members, valid
from vocabulary.errors import PeaklineError

_HANDLER = ptars.HandlerPool([ExportTraceServiceRequest.DESCRIPTOR.file]).get_for_message(
    ExportTraceServiceRequest.DESCRIPTOR
)


class DecodeError(PeaklineError):
    """Bytes that are no valid OTLP body; the same bytes will fail again."""

    permanent = True


def decode_traces(body: bytes) -> pa.RecordBatch:
    """One row with column `resource_spans` in the shape of the OTLP messages.

    body    ExportTraceServiceRequest, at most 2 GiB; zero bytes are a valid empty message
    raises  DecodeError for bytes that the official protobuf runtime refuses
    """
    check_traces(body)
    return decode_checked([body])


def check_traces(body: bytes) -> None:
    """Whether a body is valid, at a sixth of the price of decoding it.

    raises  DecodeError for bytes that the official protobuf runtime refuses
    """
    _judge(body)


def decode_checked(bodies: Sequence[bytes]) -> pa.RecordBatch:
    """One row per body, all of which `check_traces` has let pass.

    A group in one call costs a third less than its bodies one by one: the call itself half a millisecond, the rest is
    memory that is used once instead of many times.
    """
    try:
        batch = _convert(list(bodies))
    except DecodeError:  # one odd body must not cost its group
        return _convert([_canonical(body) for body in bodies])
    if any(_is_ambiguous(values) for values in any_values(batch)):
        return _convert([_canonical(body) for body in bodies])
    return batch


def any_values(batch: pa.RecordBatch) -> Iterator[pa.StructArray]:
    """The flattened AnyValue structs of resources, scopes, spans, events and links, in that order."""
    resource_spans = members(batch.column(0))
    scope_spans = members(resource_spans.field("scope_spans"))
    spans = members(scope_spans.field("spans"))
    owners = (
        resource_spans.field("resource"),
        scope_spans.field("scope"),
        spans,
        members(spans.field("events")),
        members(spans.field("links")),
    )
    for owner in owners:
        yield members(owner.field("attributes")).field("value")


def _convert(bodies: list[bytes]) -> pa.RecordBatch:
    try:
        return _HANDLER.list_to_record_batch(bodies)
    except ValueError as error:
        raise DecodeError(str(error)) from error


def _judge(body: bytes) -> ExportTraceServiceRequest:
    try:
        judged: ExportTraceServiceRequest = ExportTraceServiceRequest.FromString(body)
    except ProtobufError as error:
        raise DecodeError(f"failed to decode Protobuf message: {error}") from error
    return judged


def _canonical(body: bytes) -> bytes:
    """The same message as the official runtime writes it, without fields that it does not know."""
    judged = _judge(body)
    judged.DiscardUnknownFields()
    return bytes(judged.SerializeToString())


def _is_ambiguous(values: pa.StructArray) -> bool:
    """Whether any value has several members set."""
    if not len(values):
        return False
    members_set = [values.field(index) for index in range(values.type.num_fields)]
    used = [valid(member) for member in members_set if member.null_count < len(member)]
    return len(used) > 1 and bool(np.sum(used, axis=0, dtype=np.int8).max() > 1)
