import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.methods.load_tiers import tier_edges, tier_of, weighted_quantiles

minutes = st.lists(
    st.tuples(st.integers(1, 500).map(lambda n: n / 60), st.integers(0, 1000)), min_size=1, max_size=200
).filter(lambda listed: sum(weight for _, weight in listed) > 0)


def arrays(listed: list[tuple[float, int]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([load for load, _ in listed]), np.array([float(weight) for _, weight in listed])


def test_edges_are_quantiles_of_requests_not_of_minutes() -> None:
    load = np.array([1.0] * 90 + [10.0] * 10)
    requests = load * 60
    assert tier_edges(load, requests).tolist() == [10.0, 10.0, 10.0]
    assert tier_edges(load, np.ones(100)).tolist() == [1.0, 1.0, 10.0]


def test_a_hundred_equal_minutes_split_at_50_85_and_95() -> None:
    load = np.arange(1.0, 101.0)
    edges = tier_edges(load, np.ones(100))
    assert edges.tolist() == [50.0, 85.0, 95.0]
    assert np.bincount(tier_of(load, edges)).tolist() == [50, 35, 10, 5]


def test_ties_stay_together_and_may_leave_tiers_empty() -> None:
    load = np.full(40, 2.5)
    assert set(tier_of(load, tier_edges(load, np.ones(40))).tolist()) == {0}


def test_one_minute_is_off_peak() -> None:
    load = np.array([7.0])
    assert tier_of(load, tier_edges(load, np.array([3.0]))).tolist() == [0]


def test_minutes_without_weight_move_no_edge() -> None:
    load = np.array([1.0, 2.0, 900.0])
    assert weighted_quantiles(load, np.array([1.0, 1.0, 0.0]), (1.0,)).tolist() == [2.0]


def test_no_requests_have_no_edges() -> None:
    with pytest.raises(ValueError, match="weight"):
        tier_edges(np.array([1.0]), np.array([0.0]))


@given(minutes)
def test_edges_ascend_and_are_loads_that_were_met(listed: list[tuple[float, int]]) -> None:
    load, requests = arrays(listed)
    edges = tier_edges(load, requests)
    assert (np.diff(edges) >= 0).all()
    assert set(edges.tolist()) <= set(load[requests > 0].tolist())


@given(minutes)
def test_at_least_the_named_share_of_requests_is_at_or_below_an_edge(listed: list[tuple[float, int]]) -> None:
    load, requests = arrays(listed)
    for level, edge in zip((0.5, 0.85, 0.95), tier_edges(load, requests), strict=True):
        assert requests[load <= edge].sum() >= level * requests.sum() * (1 - 1e-9)
        assert requests[load < edge].sum() < level * requests.sum() * (1 + 1e-9)


@given(minutes)
def test_a_higher_load_is_never_in_a_lower_tier(listed: list[tuple[float, int]]) -> None:
    load, requests = arrays(listed)
    tiers = tier_of(np.sort(load), tier_edges(load, requests))
    assert (np.diff(tiers) >= 0).all()


@given(minutes)
def test_the_order_of_minutes_changes_nothing(listed: list[tuple[float, int]]) -> None:
    turned = listed[::-1]
    assert tier_edges(*arrays(listed)).tolist() == tier_edges(*arrays(turned)).tolist()
