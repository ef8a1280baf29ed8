"""Events and links of spans."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from collector.otlp.attributes import attributes_of
from collector.otlp.columnar import (
    Bools,
    Index,
    Int64s,
    constant_text,
    counts_to_offsets,
    fixed_binary,
    lengths,
    list_offsets,
    members,
    numbers,
)
from collector.otlp.envelope import INT64_MAX, SPAN_BYTES, TRACE_BYTES, id_rows
from collector.otlp.privacy import Privacy, mask_texts
from collector.otlp.quality import Bits, Quality, mark
from collector.otlp.values import Plain, to_json
from store.telemetry.columns import SPAN_ID, SPANS, TRACE_ID

EVENT_COLUMNS = ("event_times_ns", "event_names", "event_attributes")
LINK_COLUMNS = ("link_trace_ids", "link_span_ids", "link_attributes")
_NO_ROWS = np.zeros(0, np.int64)
FIRST_CHUNK = "First Token Stream Event"


@dataclass(frozen=True)
class Events:
    """Events of n spans.

    columns      the three event columns
    exceptions   span -> (type, raw message) of its last exception event; never stored as it is
    first_token  rows and times (ns) of the first `First Token Stream Event`
    """

    columns: Mapping[str, pa.Array]
    exceptions: Mapping[int, tuple[str, str]]
    first_token: tuple[Index, Int64s]


def read_events(lists: pa.Array, privacy: Privacy) -> Events:
    """Events in the order in which they came."""
    starts = list_offsets(lists)
    events = members(lists)
    if not len(events):
        return Events({name: _no_lists(name, len(lists)) for name in EVENT_COLUMNS}, {}, (_NO_ROWS, _NO_ROWS))
    owner = np.repeat(np.arange(len(lists)), np.diff(starts))
    raw_times = numbers(events.field("time_unix_nano"), np.uint64)
    times = np.where(raw_times > INT64_MAX, 0, raw_times).astype(np.int64)
    names = events.field("name")
    attributes = _dicts(events, {"otel.dropped_attributes_count": events.field("dropped_attributes_count")})
    first_token = np.flatnonzero(_equal(names, FIRST_CHUNK))
    exceptions = _exceptions(owner.tolist(), attributes)
    rows, place = np.unique(owner[first_token], return_index=True)
    texts = _json_texts(attributes, privacy, len(events))
    return Events(
        columns={
            "event_times_ns": _lists(starts, pa.array(times)),
            "event_names": _lists(starts, mask_texts(names)),
            "event_attributes": _lists(starts, texts),
        },
        exceptions=exceptions,
        first_token=(rows, times[first_token[place]]),
    )


def read_links(lists: pa.Array, privacy: Privacy, bits: Bits) -> tuple[dict[str, pa.Array], Index]:
    """The three link columns, and how many links with invalid ids each span lost."""
    starts = list_offsets(lists)
    links = members(lists)
    if not len(links):
        return {name: _no_lists(name, len(lists)) for name in LINK_COLUMNS}, np.zeros(len(lists), np.uint32)
    owner = np.repeat(np.arange(len(lists)), np.diff(starts))
    traces, good_trace = id_rows(links.field("trace_id"), TRACE_BYTES)
    spans, good_span = id_rows(links.field("span_id"), SPAN_BYTES)
    good = good_trace & good_span
    extras = {
        "otel.dropped_attributes_count": links.field("dropped_attributes_count"),
        "w3c.trace_state": links.field("trace_state"),
        "otel.flags": links.field("flags"),
    }
    texts = _json_texts(_dicts(links, extras), privacy, len(links))
    lost = np.bincount(owner[~good], minlength=len(lists)).astype(np.uint32)
    if not good.all():
        mark(bits, lost > 0, Quality.BAD_LINK)
        starts = counts_to_offsets(np.bincount(owner[good], minlength=len(lists)))
        texts = texts.filter(pa.array(good))
    return {
        "link_trace_ids": _lists(starts, fixed_binary(traces[good], TRACE_BYTES), TRACE_ID),
        "link_span_ids": _lists(starts, fixed_binary(spans[good], SPAN_BYTES), SPAN_ID),
        "link_attributes": _lists(starts, texts),
    }, lost


def _dicts(owners: pa.StructArray, extras: Mapping[str, pa.Array]) -> list[dict[str, Plain]]:
    """Attributes of each owner, with some columns added under names of their own where they are set; [] if none is."""
    lists = owners.field("attributes")
    used = {name: column for name, column in extras.items() if _is_set(column).any()}
    if not used and not lengths(lists).any():
        return []
    dicts = attributes_of(lists).dicts()
    for name, column in used.items():
        for found, value in zip(dicts, column.to_pylist(), strict=True):
            if value:
                found[name] = value
    return dicts


def _is_set(column: pa.Array) -> Bools:
    is_set: Bools = lengths(column) > 0 if pa.types.is_string(column.type) else numbers(column, np.uint32) > 0
    return is_set


def _equal(names: pa.Array, name: str) -> Bools:
    encoded = names.dictionary_encode()
    is_equal = np.array([text == name for text in encoded.dictionary.to_pylist()], np.bool_)
    return is_equal[numbers(encoded.indices, np.int32).astype(np.intp)]


def _exceptions(owner: list[int], attributes: list[dict[str, Plain]]) -> dict[int, tuple[str, str]]:
    return {
        row: (str(found.get("exception.type", "")), str(found.get("exception.message", "")))
        for row, found in zip(owner, attributes, strict=False)
        if "exception.type" in found or "exception.message" in found
    }


def _json_texts(attributes: list[dict[str, Plain]], privacy: Privacy, count: int) -> pa.Array:
    if not attributes:
        return constant_text("{}", count)
    return pa.array([to_json(_clean(found, privacy)) if found else "{}" for found in attributes], pa.string())


def _clean(found: dict[str, Plain], privacy: Privacy) -> dict[str, Plain]:
    """Attributes as stored; of an exception message the known phrases are kept, as in the status message."""
    cleaned = privacy.clean_map(found)
    message = found.get("exception.message")
    if isinstance(message, str) and isinstance(cleaned.get("exception.message"), dict):
        kept = privacy.message(message)
        if kept[:1] != "{":
            cleaned["exception.phrases"] = kept
    return cleaned


def _no_lists(name: str, length: int) -> pa.Array:
    """Column of empty lists."""
    nothing_inside = pa.array([], SPANS.field(name).type.value_type)
    return pa.ListArray.from_arrays(pa.array(np.zeros(length + 1, np.int32)), nothing_inside)


def _lists(starts: Index, items: pa.Array, kind: pa.DataType | None = None) -> pa.Array:
    ends = pa.array(starts.astype(np.int32, copy=False))
    return pa.ListArray.from_arrays(ends, items if kind is None else items.cast(kind))
