from typing import Any

from dashboard.waterfall import FOLD_FROM, columns, gaps, hops_in_order, phases, subtree
from tests.dashboard.spans import START_NS, span
from vocabulary.pools import SECOND_NS


def drawn(*spans: Any, own: str = "") -> dict[str, Any]:
    return dict(columns(spans, frozenset(own)))


def test_children_follow_their_parent_in_order_of_start() -> None:
    found = drawn(span("root", length_s=9), span("b", "root", 3), span("a", "root", 1), span("c", "a", 1.5))
    assert found["name"] == ["root", "a", "c", "b"]
    assert found["parent"] == [-1, 0, 1, 0]
    assert found["depth"] == [0, 1, 2, 1]
    assert found["start_ms"] == [0, 1000, 1500, 3000]
    assert found["total_ms"] == 9000


def test_a_span_whose_parent_never_came_stands_at_the_root() -> None:
    assert drawn(span("orphan", "nobody"), span("self", "self"))["parent"] == [-1, -1]


def test_an_unknown_end_stays_unknown() -> None:
    assert drawn(span("open", length_s=None))["length_ms"] == [None]


def test_what_no_child_accounts_for_is_a_gap() -> None:
    parent = span("p", length_s=10)
    below = [span("a", "p", 1, 2), span("b", "p", 2, 3), span("c", "p", 7, 1)]
    assert gaps(parent, below) == [[0, 1000], [5000, 2000], [8000, 2000]]
    assert gaps(parent, []) == []


def test_a_child_that_starts_before_or_ends_after_its_parent_makes_no_negative_gap() -> None:
    assert gaps(span("p", at_s=1, length_s=2), [span("a", "p", 0, 9)]) == []
    assert gaps(span("p", length_s=2), [span("late", "p", 5, 1)]) == [[0, 2000]]


def test_phases_follow_each_other_and_what_they_leave_is_a_gap() -> None:
    engine = span("e", length_s=10, fields={"queue_s": 1.0, "prefill_s": 2.0, "decode_s": 5.0})
    assert phases(engine) == [["queue", 0, 1000], ["prefill", 1000, 2000], ["decode", 3000, 5000]]
    assert gaps(engine, []) == [[8000, 2000]]


def test_many_leaves_of_one_name_are_folded_into_one_row() -> None:
    steps = [span(f"s{i}", "e", i / 10, 0.1) for i in range(FOLD_FROM)]
    alike = [type(step)(**{**{f: getattr(step, f) for f in step.__slots__}, "name": "decode"}) for step in steps]
    found = drawn(span("e", length_s=5), *alike, span("other", "e", 3))
    assert found["name"][1] == f"decode × {FOLD_FROM}"
    assert found["folded"] == [1]
    assert found["parent"][2] == 1
    assert found["name"][-1] == "other"


def test_a_chain_as_deep_as_it_is_long_is_drawn() -> None:
    chain = [span("0")] + [span(str(i), str(i - 1)) for i in range(1, 5000)]
    assert drawn(*chain)["depth"][-1] == 4999


def test_only_the_requests_own_spans_are_its_subtree() -> None:
    root = span("root", length_s=9)
    mine = span("mine", "root", 1, 3, is_inference=True)
    below = span("below", "mine", 1, 1)
    other = span("other", "root", 5, 3, is_inference=True)
    assert subtree([root, mine, below, other], START_NS + SECOND_NS, START_NS + 4 * SECOND_NS) == {"mine", "below"}
    assert drawn(root, mine, own=["mine"])["is_own"] == [False, True]  # type: ignore[arg-type]


def test_services_share_colours_by_name() -> None:
    found = drawn(
        span("a", resource={"service.name": "x"}),
        span("b", resource={"service.name": "y"}),
        span("c", fields={"service": "x"}),
    )
    assert found["services"] == ["x", "y"]
    assert found["service"] == [0, 1, 0]


def test_hops_stand_in_the_order_of_the_tree() -> None:
    spans = [
        span("a", hop_role="gateway"),
        span("b", "a", at_s=0.1, hop_role="client"),
        span("c", "b", hop_role="other"),
    ]
    assert hops_in_order(["client", "gateway"], spans) == ["gateway", "client"]
    assert hops_in_order(["engine", "client", "gateway"], spans) == ["gateway", "client", "engine"]
    assert hops_in_order(["client", "gateway"], []) == ["client", "gateway"]
