import pytest

from api.problems import BadQueryError
from api.queries import FilterQuery, PoolQuery, WindowQuery
from vocabulary.outcomes import Outcome
from vocabulary.pools import Window

NOW_NS = 1_796_000_000_000_000_000
HOUR_NS = 3_600_000_000_000


def test_a_window_starts_where_the_route_says_when_nothing_is_asked() -> None:
    assert WindowQuery().window(NOW_NS, default_from="now-1h") == Window(NOW_NS - HOUR_NS, NOW_NS)
    assert not WindowQuery().is_given


def test_both_ends_may_be_named() -> None:
    asked = WindowQuery(from_="now-3h", to="now-2h")
    assert asked.is_given
    assert asked.window(NOW_NS, default_from="now-1h") == Window(NOW_NS - 3 * HOUR_NS, NOW_NS - 2 * HOUR_NS)


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        (WindowQuery(from_="soon"), "from"),
        (WindowQuery(to="later"), "to"),
        (WindowQuery(from_="now", to="now-1h"), "from"),
        (WindowQuery(from_="now", to="now"), "from"),
    ],
)
def test_a_bad_window_names_its_parameter(asked: WindowQuery, name: str) -> None:
    with pytest.raises(BadQueryError) as caught:
        asked.window(NOW_NS, default_from="now-1h")
    assert caught.value.name == name


def test_a_filter_carries_every_parameter() -> None:
    found = FilterQuery("failed", "any", "core", "r0", "acme", "sweep").filter(PoolQuery("chat", "m"))
    assert (found.service, found.model, found.outcome, found.defect) == ("chat", "m", Outcome.FAILED, "any")
    assert (found.service_tier, found.replica, found.tenant, found.load_test) == ("core", "r0", "acme", "sweep")


def test_a_list_without_a_load_test_is_production_and_any_is_everything() -> None:
    assert FilterQuery().filter(PoolQuery()).load_test == ""
    assert FilterQuery(load_test="any").filter(PoolQuery()).load_test is None


def test_unknown_choices_are_refused_with_the_known_ones() -> None:
    with pytest.raises(BadQueryError, match="truncated"):
        FilterQuery(defect="boredom").filter(PoolQuery())
    with pytest.raises(BadQueryError, match="timed_out"):
        FilterQuery(outcome="splendid").filter(PoolQuery())
