"""The three levels of an OTLP body, flattened, with ids and times checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from collector.otlp.columnar import (
    Bools,
    Bytes8,
    Index,
    Int64s,
    constant_text,
    data,
    fixed_binary,
    lengths,
    list_offsets,
    members,
    numbers,
    offsets,
    valid,
)
from collector.otlp.quality import Bits, Quality, mark

INT64_MAX = np.uint64(2**63 - 1)
TRACE_BYTES, SPAN_BYTES = 16, 8
STATUS_MAX, KIND_MAX = 2, 5  # highest known values of the enums


@dataclass(frozen=True)
class Envelope:
    """n accepted spans of a body, and where each came from.

    resource_spans, scope_spans, spans  flattened messages
    scope_of     (n,) row in scope_spans
    resource_of  (n,) row in resource_spans
    ids          trace_id, span_id, parent_span_id columns
    bits         (n,) quality flags so far
    rejected     per body, reason -> spans that were left out
    """

    resource_spans: pa.StructArray
    scope_spans: pa.StructArray
    spans: pa.StructArray
    scope_of: Index
    resource_of: Index
    ids: Mapping[str, pa.Array]
    bits: Bits
    rejected: Sequence[Mapping[str, int]]


def open_envelope(batch: pa.RecordBatch) -> Envelope:
    """Flatten decoded bodies, one a row, and leave out spans whose ids are invalid."""
    resource_spans = members(batch.column(0))
    body_of = np.repeat(np.arange(batch.num_rows), np.diff(list_offsets(batch.column(0))))
    scope_lists = resource_spans.field("scope_spans")
    scope_spans = members(scope_lists)
    span_lists = scope_spans.field("spans")
    spans = members(span_lists)
    scope_of = np.repeat(np.arange(len(scope_spans)), np.diff(list_offsets(span_lists)))
    resource_of = np.repeat(np.arange(len(resource_spans)), np.diff(list_offsets(scope_lists)))[scope_of]
    traces, good_trace = id_rows(spans.field("trace_id"), TRACE_BYTES)
    ids, good_span = id_rows(spans.field("span_id"), SPAN_BYTES)
    keep = good_trace & good_span
    refused = {"invalid_trace_id": ~good_trace, "invalid_span_id": good_trace & ~good_span}
    rejected = _by_body(refused, body_of[resource_of], batch.num_rows)
    if not keep.all():
        spans = spans.filter(pa.array(keep))
        traces, ids, scope_of, resource_of = traces[keep], ids[keep], scope_of[keep], resource_of[keep]
    bits = np.zeros(len(spans), np.uint32)
    return Envelope(
        resource_spans,
        scope_spans,
        spans,
        scope_of,
        resource_of,
        ids={
            "trace_id": fixed_binary(traces, TRACE_BYTES),
            "span_id": fixed_binary(ids, SPAN_BYTES),
            "parent_span_id": fixed_binary(_parents(spans, bits), SPAN_BYTES),
        },
        bits=bits,
        rejected=rejected,
    )


def _by_body(refused: Mapping[str, Bools], body_of: Index, bodies: int) -> list[dict[str, int]]:
    counts: list[dict[str, int]] = [{} for _ in range(bodies)]
    for reason, mask in refused.items():
        if mask.any():
            for body, count in enumerate(np.bincount(body_of[mask], minlength=bodies).tolist()):
                if count:
                    counts[body][reason] = count
    return counts


def id_rows(array: pa.Array, width: int) -> tuple[Bytes8, Bools]:
    """(n, width) bytes of ids, zeros where invalid, and which are valid: right length and not all zero."""
    fits = lengths(array) == width
    starts = offsets(array)[:-1]
    content = data(array)
    if fits.all():
        first = int(starts[0]) if len(starts) else 0
        rows = content[first : first + width * len(array)].reshape(len(array), width)
    else:
        rows = np.zeros((len(array), width), np.uint8)
        rows[fits] = content[starts[fits, None] + np.arange(width)]
    return rows, fits & rows.any(axis=1)


def _parents(spans: pa.StructArray, bits: Bits) -> Bytes8:
    column = spans.field("parent_span_id")
    rows, _ = id_rows(column, SPAN_BYTES)
    sizes = lengths(column)
    mark(bits, (sizes != 0) & (sizes != SPAN_BYTES), Quality.BAD_PARENT)
    return rows


def times(spans: pa.StructArray, bits: Bits) -> tuple[Int64s, Int64s, Bools]:
    """Start, end and whether the end is known, of n spans; flags what is missing or impossible."""
    start = numbers(spans.field("start_time_unix_nano"), np.uint64)
    end = numbers(spans.field("end_time_unix_nano"), np.uint64)
    overflow = (start > INT64_MAX) | (end > INT64_MAX)
    mark(bits, overflow, Quality.TIME_OVERFLOW)
    start = np.where(start > INT64_MAX, 0, start).astype(np.int64)
    mark(bits, start == 0, Quality.NO_START)
    is_told = (end > 0) & (end <= INT64_MAX)
    mark(bits, end == 0, Quality.NO_END)
    end = np.where(is_told, end, 0).astype(np.int64)
    reversed_ = is_told & (end < start)
    mark(bits, reversed_, Quality.END_BEFORE_START)
    return start, end, is_told & ~reversed_


def statuses(spans: pa.StructArray) -> tuple[Bytes8, pa.Array]:
    """Status code (0 unset, 1 ok, 2 error; anything else counts as unset) and message of n spans."""
    status = spans.field("status")
    if status.null_count == len(status):
        return np.zeros(len(status), np.uint8), constant_text("", len(status))
    told = valid(status)
    codes = numbers(status.field("code"), np.int32)
    known = told & (codes >= 0) & (codes <= STATUS_MAX)
    messages = status.field("message")
    if not told.all():
        messages = pa.array(np.arange(len(status)), mask=~told)
        messages = status.field("message").take(messages).fill_null("")
    return np.where(known, codes, 0).astype(np.uint8), messages


def span_kinds(spans: pa.StructArray) -> Bytes8:
    """Span kind of n spans; unspecified and unknown ones are internal (1)."""
    kinds = numbers(spans.field("kind"), np.int32)
    return np.where((kinds < 1) | (kinds > KIND_MAX), 1, kinds).astype(np.uint8)
