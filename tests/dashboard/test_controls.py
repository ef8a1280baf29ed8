from dashboard.controls import pool_control, pool_name, source_control, time_control
from store.contract import LoadTest, PoolActivity
from tests.dashboard.looking import hrefs, of_type, view_of, words
from tests.dashboard.scenery import NOW_NS, POOL, SMALL_POOL
from vocabulary.pools import Pool

ACTIVE = [PoolActivity(POOL, 9, NOW_NS, NOW_NS), PoolActivity(SMALL_POOL, 1, NOW_NS, NOW_NS)]
TESTS = [LoadTest("sweep", POOL, 9, NOW_NS, NOW_NS)]


def test_ranges_and_moves_are_links_that_forget_the_page_of_a_list() -> None:
    links = hrefs(time_control(view_of("/requests?range=1h&outcome=failed&cursor=x")))
    assert links[0] == "/requests?outcome=failed&range=15m"
    assert "/requests?range=1h&outcome=failed&from=2026-11-30T11:30:00Z&to=2026-11-30T12:30:00Z" in links
    assert not [link for link in links if "cursor" in link]


def test_a_fixed_window_goes_back_to_its_relative_range() -> None:
    view = view_of("/?range=1h&from=2026-11-30T11:00:00Z&to=2026-11-30T12:00:07Z")
    assert hrefs(time_control(view))[-1] == "/?range=1h"
    window = of_type(time_control(view), "TimeWindow")[0]
    assert (window.start, window.end, window.is_utc) == ("2026-11-30 11:00", "2026-11-30 12:00:07", True)


def test_a_choice_of_pool_sets_both_halves() -> None:
    select = pool_control(view_of("/"), ACTIVE, SMALL_POOL, any_pool=True)
    assert words(select) == "Pool All pools chat-api / llama-4-70b-fp8 embed / bge-m3"
    assert select.options[select.chosen]["set"] == {"service": "embed", "model": "bge-m3"}
    assert select.options[0]["set"] == {"service": None, "model": None}


def test_a_pool_without_traffic_can_still_be_the_chosen_one() -> None:
    select = pool_control(view_of("/"), ACTIVE, Pool("gone", ""), any_pool=False)
    assert select.options[select.chosen]["text"] == "gone / –"
    assert pool_name(Pool("", "m")) == "– / m"


def test_a_load_test_brings_its_pool_along_and_production_forgets_it() -> None:
    select = source_control(view_of("/"), TESTS, TESTS[0])
    assert select.options[select.chosen]["set"]["load_test"] == "sweep"
    assert select.options[0]["set"] == {"load_test": None}
