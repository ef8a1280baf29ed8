"""The columns of a body fit the spans table, whatever the size of the body."""

import pytest

from collector.otlp.columnar import BLOCK
from collector.otlp.decode import decode_traces
from collector.otlp.normalise import OUTPUT, Normaliser
from collector.otlp.privacy import Privacy
from tests.factories.otlp import RECEIVED_NS, SALT, request, rows, span


@pytest.mark.parametrize("count", [1, 2, 500, BLOCK + 1])
def test_bodies_of_every_size_fit_the_schema(count: int) -> None:
    message = request(*(span(number + 1, attributes={"n": number}) for number in range(count)))
    table = Normaliser(Privacy(SALT)).normalise(decode_traces(message.SerializeToString()), RECEIVED_NS).spans
    table.validate(full=True)
    assert table.schema.equals(OUTPUT)
    assert table.num_rows == count
    assert table["attr_int"].to_pylist() == [[("n", number)] for number in range(count)]


def test_counts_of_what_a_sender_dropped_are_kept() -> None:
    one = span(dropped_attributes_count=1, dropped_events_count=2, dropped_links_count=2**32 - 1, flags=0x301)
    (found,) = rows(request(one))
    assert (found["dropped_attributes"], found["dropped_events"], found["dropped_links"]) == (1, 2, 2**32 - 1)
    assert found["flags"] == 0x301


def test_state_of_the_trace_is_kept() -> None:
    assert rows(request(span(trace_state="ot=th:8")))[0]["trace_state"] == "ot=th:8"
