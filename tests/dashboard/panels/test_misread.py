import pytest

from dashboard.panels.misread import (
    Complaint,
    filter_complaints,
    load_test_complaints,
    misread,
    pool_complaints,
    range_complaints,
)
from store.contract import LoadTest, PoolActivity
from tests.dashboard.looking import view_of, words
from tests.dashboard.scenery import NOW_NS, POOL


@pytest.mark.parametrize(
    ("query", "bad"),
    [
        ("range=banana", ["range=banana"]),
        ("from=banana&to=2026-11-30T12:00:00Z", ["from=banana"]),
        ("from=2026-11-30T12:00:00Z", ["to="]),
        ("from=2026-11-30T12:00:00Z&to=2026-11-30T11:00:00Z", ["from=2026-11-30T12:00:00Z to=2026-11-30T11:00:00Z"]),
        ("range=banana&from=2026-11-30T11:00:00Z&to=2026-11-30T12:00:00Z", ["range=banana"]),
        ("range=1h", []),
    ],
)
def test_the_parameter_that_is_wrong_is_named(query: str, bad: list[str]) -> None:
    assert [asked for asked, _ in range_complaints(view_of(f"/?{query}"))] == bad


def test_outcomes_defects_pools_and_load_tests_that_exist_are_no_matter() -> None:
    good = view_of(f"/?outcome=failed&defect=any&service={POOL.service}&load_test=sweep")
    found: list[Complaint] = [
        *filter_complaints(good),
        *pool_complaints(good, [PoolActivity(POOL, 1, NOW_NS, NOW_NS)]),
        *load_test_complaints(good, [LoadTest("sweep", POOL, 1, NOW_NS, NOW_NS)]),
    ]
    assert found == []
    assert misread(good, found) is None


def test_the_banner_says_what_is_shown_instead_in_both_languages() -> None:
    english, chinese = view_of("/?defect=ugly"), view_of("/?defect=ugly&lang=zh")
    assert "defect=ugly : does not exist" in words(misread(english, filter_complaints(english)))
    assert "defect=ugly : 不存在；显示时不按缺陷筛选" in words(misread(chinese, filter_complaints(chinese)))
