"""A store large enough that a scan shows in the number of rows read."""

from collections.abc import Iterator

import pytest

from store.telemetry.open import Telemetry
from tests.factories.stores import START_NS, emptied, request, requests, span, spans
from vocabulary.pools import SECOND_NS

PARTS = 5
ROWS_PER_PART = 6_000


@pytest.fixture(scope="module")
def large(embedded_store: Telemetry) -> Iterator[Telemetry]:
    """30,000 requests over eight hours and as many spans, in five commits; made once per module, which only reads."""
    emptied(embedded_store)
    for part in range(PARTS):
        seconds = range(part, part + ROWS_PER_PART * PARTS, PARTS)
        embedded_store.writer.append_requests(requests(*(request(second, version=part + 1) for second in seconds)))
        embedded_store.writer.append_spans(spans(*(span(second, commit_seq=part + 1) for second in seconds)))
    yield embedded_store
    emptied(embedded_store)


@pytest.fixture
def busy_hour(telemetry: Telemetry) -> Telemetry:
    """360,000 requests within one hour, a hundred a second, each a second long."""
    columns = "request_key, anchor_ns, end_ns, version, service, model, replica"
    at_ns = f"{START_NS} + toInt64(number) * {SECOND_NS // 100}"
    key = "toFixedString(reinterpretAsFixedString(sipHash128(number)), 16)"
    values = f"{key}, {at_ns}, {at_ns} + {SECOND_NS}, 1, 'chat', 'm', 'r0'"
    telemetry.writes.execute_text(f"INSERT INTO requests ({columns}) SELECT {values} FROM numbers(360000)")
    return telemetry
