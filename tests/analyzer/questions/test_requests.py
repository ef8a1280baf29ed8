import pytest

from analyzer.questions.answers import Cost
from analyzer.questions.cursors import BadCursorError
from analyzer.questions.requests import key_of, one_request, one_trace, request_page
from store.contract import RequestFilter
from store.telemetry.open import Telemetry
from tests.factories.requests import FAILED, request_rows
from tests.factories.stores import START_NS, new_id, request, requests, span, spans
from vocabulary.errors import RefusedReadError
from vocabulary.outcomes import Outcome
from vocabulary.pools import MINUTE_NS, Window
from vocabulary.services import Prices, ServiceBook, ServiceDefinition

WINDOW = Window(START_NS, START_NS + 60 * MINUTE_NS)
EVERY = RequestFilter()


def test_pages_show_every_request_once_and_newest_first(telemetry: Telemetry) -> None:
    telemetry.writer.append_requests(request_rows(25))
    telemetry.writer.append_requests(request_rows(5, 0.1, every_s=0.0))
    seen: list[tuple[int, str]] = []
    cursor = None
    for _ in range(10):
        page = request_page(telemetry.reader, WINDOW, EVERY, 7, cursor)
        seen += [(item.start_ns, item.request_key) for item in page.items]
        cursor = page.next
        if cursor is None:
            break
    assert len({key for _, key in seen}) == len(seen) == 30
    assert seen == sorted(seen, reverse=True)


def test_filters_narrow_the_page(telemetry: Telemetry) -> None:
    telemetry.writer.append_requests(request_rows(5))
    telemetry.writer.append_requests(request_rows(3, tenant="acme", **FAILED))
    wanted = RequestFilter(outcome=Outcome.FAILED, tenant="acme", defect="error")
    page = request_page(telemetry.reader, WINDOW, wanted, 100, None)
    assert [item.defects for item in page.items] == [["error"]] * 3
    assert page.next is None


def test_a_damaged_cursor_and_too_large_a_page_are_refused(telemetry: Telemetry) -> None:
    with pytest.raises(BadCursorError):
        request_page(telemetry.reader, WINDOW, EVERY, 10, "damaged")
    with pytest.raises(RefusedReadError):
        request_page(telemetry.reader, WINDOW, EVERY, 1001, None)


def test_a_record_reads_as_people_do(telemetry: Telemetry) -> None:
    key = new_id(16)
    row = request(
        request_key=key, hop_roles="gateway,engine", emitters="litellm", quality="", defects=17, seed=7, stream=False
    )
    telemetry.writer.append_requests(requests(row))
    found = one_request(telemetry.reader, key.hex())
    assert found is not None
    assert found.request_key == key.hex()
    assert found.hop_roles == ["gateway", "engine"]
    assert found.quality == []
    assert found.defects == ["error", "truncated"]
    assert (found.fields["seed"], found.fields["stream"], found.fields["tenant"]) == (7, False, None)


def test_in_flight_counts_what_overlaps_on_the_same_replica(telemetry: Telemetry) -> None:
    key = new_id(16)
    overlapping = [request(at) for at in (0.2, 0.5, 0.9)]
    telemetry.writer.append_requests(
        requests(*overlapping, request(-5.0), request(0.5, replica="r1"), request(1.0, request_key=key))
    )
    found = one_request(telemetry.reader, key.hex())
    assert found is not None
    assert found.in_flight_at_arrival == 3


def test_an_unknown_replica_has_no_in_flight(telemetry: Telemetry) -> None:
    key = new_id(16)
    telemetry.writer.append_requests(requests(request(request_key=key, replica="")))
    found = one_request(telemetry.reader, key.hex())
    assert found is not None
    assert found.in_flight_at_arrival is None


@pytest.mark.parametrize("text", ["", "zz", "ab" * 15, "zz" * 16, " " * 32, "ab" * 17, "٣" * 32])
def test_a_text_that_is_no_key_names_nothing(telemetry: Telemetry, text: str) -> None:
    assert key_of(text) is None
    assert one_request(telemetry.reader, text) is None
    assert one_trace(telemetry.reader, text) is None


def test_upper_case_keys_are_keys() -> None:
    assert key_of("AB" * 16) == b"\xab" * 16


def test_a_trace_is_cut_at_the_limit_and_says_so(telemetry: Telemetry) -> None:
    trace = new_id(16)
    telemetry.writer.append_spans(spans(*(span(at, trace_id=trace) for at in range(5))))
    whole, cut = one_trace(telemetry.reader, trace.hex()), one_trace(telemetry.reader, trace.hex(), limit=3)
    assert whole is not None
    assert cut is not None
    assert (len(whole.spans), whole.is_partial) == (5, False)
    assert (len(cut.spans), cut.is_partial) == (3, True)
    assert [found.start_ns for found in whole.spans] == sorted(found.start_ns for found in whole.spans)
    assert one_trace(telemetry.reader, new_id(16).hex()) is None


def test_a_request_costs_what_its_service_is_priced_at(telemetry: Telemetry) -> None:
    key, other = new_id(16), new_id(16)
    tokens = {"input_tokens": 1000, "output_tokens": 500, "cached_tokens": 200}
    rows = request(request_key=key, **tokens), request(request_key=other, service="free", **tokens)
    telemetry.writer.append_requests(requests(*rows))
    services = ServiceBook((ServiceDefinition("chat", prices=Prices(2.0, 8.0, 1.0)),))
    found = [one_request(telemetry.reader, one.hex(), services) for one in (key, other)]
    assert [None if record is None else record.cost for record in found] == [Cost(0.0058, "USD"), None]
    plain = one_request(telemetry.reader, key.hex())
    assert plain is not None
    assert plain.cost is None
