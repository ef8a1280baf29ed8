"""Only what late hops change is written again."""

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from collector.changes import changed_requests
from collector.correlate import correlate
from tests.factories.hops import hop, hop_table


def _requests(*hops: dict[str, object]) -> pa.Table:
    return correlate(hop_table(hops))


def test_a_request_that_reads_the_same_is_not_written_again() -> None:
    agent = hop(1, is_inference=False, hop_role="other")
    first, second = hop(2, parent=1), hop(3, parent=1)
    change = changed_requests(_requests(agent, first), _requests(agent, first, second))
    assert change.written["root_span_id"].to_pylist() == [second["span_id"]]
    assert (change.replaced.num_rows, change.gone.num_rows) == (0, 0)


def test_a_request_that_a_hop_joins_replaces_what_it_was() -> None:
    top = hop(1, hop_role="gateway")
    change = changed_requests(_requests(top), _requests(top, hop(2, parent=1, output_tokens=5)))
    assert change.written["output_tokens"].to_pylist() == [5]
    assert change.replaced["output_tokens"].to_pylist() == [None]


def test_a_key_that_is_no_request_any_more_is_gone() -> None:
    below = hop(2, parent=1)
    change = changed_requests(_requests(below), _requests(below, hop(1, hop_role="gateway")))
    assert change.gone["root_span_id"].to_pylist() == [below["span_id"]]
    assert change.written.num_rows == 1


def test_everything_is_new_where_nothing_was() -> None:
    change = changed_requests(_requests(), _requests(hop(1)))
    assert (change.written.num_rows, change.replaced.num_rows, change.gone.num_rows) == (1, 0, 0)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_applying_the_change_to_before_gives_after(data: st.DataObject) -> None:
    hops = [
        hop(
            number,
            parent=data.draw(st.integers(0, 9)),
            is_inference=data.draw(st.booleans()),
            output_tokens=data.draw(st.sampled_from([None, 3])),
        )
        for number in range(1, 9)
    ]
    before, after = _requests(*hops[: data.draw(st.integers(0, 8))]), _requests(*hops)
    change = changed_requests(before, after)
    rows = {row["request_key"]: row for row in before.to_pylist()}
    for row in change.gone.to_pylist():
        del rows[row["request_key"]]
    rows |= {row["request_key"]: row for row in change.written.to_pylist()}
    assert rows == {row["request_key"]: row for row in after.to_pylist()}
