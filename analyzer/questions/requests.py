"""Single requests: a page of them, one of them, and the trace it came from."""

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from analyzer.questions.answers import RequestPage, RequestRecord, TraceRecord
from analyzer.questions.costs import cost_of
from analyzer.questions.cursors import cursor_of, place_of
from analyzer.questions.span_records import span_records
from store.contract import RequestFilter, TelemetryReader
from vocabulary.fields import CANONICAL
from vocabulary.outcomes import defect_names
from vocabulary.pools import Pool, Window
from vocabulary.services import ServiceBook

NO_DEFINITIONS = ServiceBook()
KEY_BYTES = 16


def request_page(
    reader: TelemetryReader, window: Window, wanted: RequestFilter, limit: int, cursor: str | None
) -> RequestPage:
    """Requests of a window, newest first.

    limit   most requests on the page, 1..1000
    cursor  `next` of the page before, None for the first page
    raises  BadCursorError, and what `reader` raises
    """
    page = reader.requests(window, wanted, limit, place_of(cursor) if cursor else None)
    return RequestPage(
        items=[request_record(row) for row in page.rows.to_pylist()],
        next=None if page.next is None else cursor_of(page.next),
    )


def one_request(
    reader: TelemetryReader, request_key_hex: str, services: ServiceBook = NO_DEFINITIONS
) -> RequestRecord | None:
    """The request of that key with the requests in flight beside it and what it cost, None when there is none.

    A text that is no key (32 hexadecimal digits) names no request.
    """
    key = key_of(request_key_hex)
    row = None if key is None else reader.request(key)
    if row is None:
        return None
    in_flight = reader.in_flight(
        _text(row["service"]), _text(row["model"]), _text(row["replica"]), cast("int", row["anchor_ns"])
    )
    record = request_record(row, in_flight)
    return replace(record, cost=cost_of(record.fields, services.prices(Pool(record.service, record.model))))


def one_trace(reader: TelemetryReader, trace_id_hex: str, limit: int = 10_000) -> TraceRecord | None:
    """Spans of a trace by start time, None when it has none; the first `limit` of them."""
    trace_id = key_of(trace_id_hex)
    if trace_id is None:
        return None
    rows, is_partial = reader.spans(trace_id, limit)
    if rows.num_rows == 0:
        return None
    return TraceRecord(trace_id=trace_id.hex(), spans=span_records(rows), is_partial=is_partial)


def key_of(text: str) -> bytes | None:
    """Sixteen bytes from 32 hexadecimal digits, None for anything else."""
    if len(text) != 2 * KEY_BYTES or not text.isascii() or not text.isalnum():
        return None
    try:
        return bytes.fromhex(text)
    except ValueError:
        return None


def request_record(row: Mapping[str, object], in_flight_at_arrival: int | None = None) -> RequestRecord:
    """A row in REQUESTS columns as people read it."""
    return RequestRecord(
        request_key=cast("bytes", row["request_key"]).hex(),
        trace_id=cast("bytes", row["trace_id"]).hex(),
        start_ns=cast("int", row["anchor_ns"]),
        end_ns=cast("int | None", row["end_ns"]),
        e2e_s=cast("float | None", row["e2e_s"]),
        tpot_s=cast("float | None", row["tpot_s"]),
        service=_text(row["service"]),
        model=_text(row["model"]),
        outcome=_text(row["outcome"]),
        defects=defect_names(cast("int", row["defects"])),
        truncation_cause=_text(row["truncation_cause"]),
        hop_count=cast("int", row["hop_count"]),
        hop_roles=_list(row["hop_roles"]),
        emitters=_list(row["emitters"]),
        quality=_list(row["quality"]),
        fields={field.name: _known(row[field.name]) for field in CANONICAL},
        in_flight_at_arrival=in_flight_at_arrival,
    )


def _text(value: object) -> str:
    return cast("str", value)


def _list(value: object) -> list[str]:
    """Parts of a comma-separated column."""
    return [part for part in _text(value).split(",") if part]


def _known(value: object) -> object:
    """Texts are '' in the store when unknown, everything else is NULL."""
    return None if value == "" else value
