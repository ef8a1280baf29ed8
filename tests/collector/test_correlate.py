"""A request is the subtree under its topmost inference span."""

import random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collector.correlate import correlate
from tests.factories.hops import SECOND_NS, START_NS, hop, hop_table


def _requests(*hops: dict[str, object]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = correlate(hop_table(hops)).to_pylist()
    return rows


def test_a_trace_with_twenty_model_calls_is_twenty_requests() -> None:
    agent = hop(1, is_inference=False, hop_role="other")
    calls = [hop(number, parent=1, hop_role="client") for number in range(2, 22)]
    assert len(_requests(agent, *calls)) == 20


def test_a_gateway_span_above_an_engine_span_is_one_request() -> None:
    (request,) = _requests(
        hop(1, hop_role="gateway", emitter="litellm", http_status=200, tenant="t", replica=""),
        hop(2, parent=1, replica="pod-1", queue_s=0.5, tenant="wrong"),
    )
    assert request["hop_roles"] == "gateway,engine"
    assert request["emitters"] == "litellm,vllm"
    assert (request["tenant"], request["replica"], request["queue_s"], request["http_status"]) == (
        "t",
        "pod-1",
        0.5,
        200,
    )


def test_an_inference_span_below_a_plain_child_belongs_to_the_span_above() -> None:
    (request,) = _requests(hop(1), hop(2, parent=1, is_inference=False, hop_role="other"), hop(3, parent=2))
    assert request["hop_count"] == 3


def test_siblings_with_one_request_id_are_attempts_of_one_request() -> None:
    root = hop(1, is_inference=False, hop_role="other")
    (request,) = _requests(
        root,
        hop(2, parent=1, request_id="r", hop_role="client", http_status=503, output_tokens=None),
        hop(3, parent=1, request_id="r", hop_role="client", http_status=200, output_tokens=5),
    )
    assert request["http_status"] == 200
    assert request["outcome"] == "completed"


@pytest.mark.parametrize(
    "first",
    [
        {"error_type": "engine_error", "status_code": 2},
        {"error_type": "overloaded", "http_status": 503},
        {"http_status": 500},
        {"status_code": 2},
    ],
)
def test_an_attempt_that_failed_and_was_tried_again_is_no_defect(first: dict[str, Any]) -> None:
    for gateway in ({"http_status": 200}, {"status_code": 1}, {}):
        (request,) = _requests(
            hop(1, hop_role="gateway", **gateway), hop(2, parent=1, **first), hop(3, parent=1, output_tokens=5)
        )
        assert (request["outcome"], request["defects"]) == ("completed", 0)


def test_siblings_are_judged_by_the_last_attempt_and_last_until_its_end() -> None:
    root = hop(1, is_inference=False, hop_role="other")
    later = START_NS + 4 * SECOND_NS
    (request,) = _requests(
        root,
        hop(
            2,
            parent=1,
            request_id="r",
            hop_role="client",
            start_ns=START_NS,
            end_ns=START_NS + SECOND_NS,
            http_status=500,
        ),
        hop(3, parent=1, request_id="r", hop_role="client", start_ns=later, end_ns=later + SECOND_NS, http_status=200),
    )
    assert (request["outcome"], request["defects"], request["e2e_s"]) == ("completed", 0, 5.0)
    assert request["anchor_ns"] == START_NS


def test_an_engine_error_counts_where_no_outer_hop_tells_how_it_ended() -> None:
    (request,) = _requests(hop(1, hop_role="gateway"), hop(2, parent=1, error_type="engine_error", status_code=2))
    assert request["outcome"] == "failed"


def test_an_error_after_status_200_on_the_same_hop_is_a_defect() -> None:
    (request,) = _requests(hop(1, hop_role="gateway", http_status=200, error_type="engine_error"), hop(2, parent=1))
    assert request["outcome"] == "failed"


@pytest.mark.parametrize("start_ns", [0, 10**17, START_NS + 10 * 86_400 * SECOND_NS, 2**62])
def test_a_start_that_cannot_be_true_is_replaced_by_the_time_of_receipt_and_flagged(start_ns: int) -> None:
    (request,) = _requests(hop(1, start_ns=start_ns))
    assert request["anchor_ns"] == START_NS + 1_000_000 + 2 * SECOND_NS
    assert (request["e2e_s"], request["quality"]) == (None, "start_implausible")


def test_roots_that_share_a_request_id_stay_separate_requests() -> None:
    assert len(_requests(hop(1, request_id="r"), hop(2, request_id="r"))) == 2


def test_tokens_come_from_one_role_and_add_up_over_its_attempts() -> None:
    (request,) = _requests(
        hop(1, hop_role="gateway", input_tokens=10, output_tokens=9),
        hop(2, parent=1, input_tokens=10, output_tokens=4),
        hop(3, parent=1, input_tokens=10, output_tokens=5),
    )
    assert (request["input_tokens"], request["output_tokens"]) == (20, 9)


def test_nested_spans_of_one_role_are_not_added() -> None:
    (request,) = _requests(
        hop(1, hop_role="gateway", output_tokens=9), hop(2, parent=1, hop_role="gateway", output_tokens=9)
    )
    assert request["output_tokens"] == 9


def test_a_request_without_a_start_is_anchored_where_it_was_received() -> None:
    (request,) = _requests(hop(1, start_ns=0))
    assert request["anchor_ns"] == START_NS + 1_000_000 + 2 * SECOND_NS
    assert request["e2e_s"] is None


def test_an_unknown_value_stays_unknown() -> None:
    (request,) = _requests(hop(1))
    assert request["temperature"] is None
    assert request["input_tokens"] is None
    assert request["replica"] == ""


def test_a_span_whose_parent_never_came_is_an_effective_root_and_says_so() -> None:
    (request,) = _requests(hop(2, parent=1))
    assert request["quality"] == "parent_missing"


def test_the_pool_is_the_model_asked_for_and_else_the_one_that_answered() -> None:
    asked, answered = _requests(
        hop(1, trace_number=1, model_requested="a", model_id="b"),
        hop(2, trace_number=2, model_requested="", model_id="b"),
    )
    assert (asked["model"], answered["model"]) == ("a", "b")


def test_time_per_output_token_needs_two_tokens() -> None:
    two, one = _requests(
        hop(1, trace_number=1, engine_e2e_s=1.0, server_ttft_s=0.5, output_tokens=6),
        hop(2, trace_number=2, engine_e2e_s=1.0, server_ttft_s=0.5, output_tokens=1),
    )
    assert two["tpot_s"] == pytest.approx(0.1)
    assert one["tpot_s"] is None


def test_the_service_tier_is_general_unless_told() -> None:
    told, untold = _requests(hop(1, trace_number=1, service_tier="core"), hop(2, trace_number=2))
    assert (told["service_tier"], untold["service_tier"]) == ("core", "general")


def test_spans_without_inference_make_no_request() -> None:
    assert correlate(hop_table([hop(1, is_inference=False)])).num_rows == 0
    assert correlate(hop_table([])).num_rows == 0


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_requests_do_not_depend_on_the_order_of_hops(data: st.DataObject) -> None:
    hops = [
        hop(
            number,
            parent=data.draw(st.integers(0, 16)),
            trace_number=data.draw(st.integers(1, 2)),
            is_inference=data.draw(st.booleans()),
            hop_role=data.draw(st.sampled_from(["gateway", "engine", "client", "other"])),
            request_id=data.draw(st.sampled_from(["", "a", "b"])),
            output_tokens=data.draw(st.sampled_from([None, 0, 7])),
        )
        for number in range(1, data.draw(st.integers(1, 14)) + 1)
    ]
    shuffled = random.Random(data.draw(st.integers(0, 99))).sample(hops, len(hops))
    first, second = correlate(hop_table(hops)), correlate(hop_table(shuffled))
    assert first.equals(second)
    assert first["request_key"].to_pylist() == list(dict.fromkeys(first["request_key"].to_pylist()))


def test_the_table_has_the_columns_of_the_store() -> None:
    table = correlate(hop_table([hop(1)]))
    assert isinstance(table, pa.Table)
    assert "version" not in table.schema.names
