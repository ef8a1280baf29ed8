"""Was this traffic made up from counts? Spans of such requests say so themselves."""

from collections.abc import Iterable

from analyzer.questions.answers import SpanRecord
from analyzer.questions.pools import window_of
from analyzer.questions.requests import one_trace, request_page
from store.contract import LoadTest, RequestFilter, TelemetryReader

ATTRIBUTE = "peakline.synthetic"


def tells_synthetic(spans: Iterable[SpanRecord]) -> bool:
    """Whether one of the spans is marked: single requests were made from totals, only the totals were measured."""
    return any(span.attributes.get(ATTRIBUTE) is True for span in spans)


def is_synthetic(reader: TelemetryReader, test: LoadTest) -> bool:
    """Whether a load test is marked, told from its newest request: an import marks all of them or none.

    raises  what `reader` raises
    """
    wanted = RequestFilter(service=test.pool.service, model=test.pool.model, load_test=test.load_test)
    newest = request_page(reader, window_of(test), wanted, 1, None).items
    trace = one_trace(reader, newest[0].trace_id) if newest else None
    return trace is not None and tells_synthetic(trace.spans)
