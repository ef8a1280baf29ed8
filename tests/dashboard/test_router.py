import asyncio
import logging
from collections.abc import Callable

import pytest

from dashboard.house import DashboardHouse
from dashboard.principal import NotAllowedError
from dashboard.router import draw, guarded, page_view
from dashboard.view import Visit
from tests.dashboard.looking import NoReader, house_of, of_type, view_of, words
from tests.dashboard.people import LIMITED, SENDER
from tests.dashboard.scenery import FixedAlert, FixedAlerts
from vocabulary.errors import StoreUnavailableError


class FailingReader:
    """A store that is down."""

    def __getattr__(self, question: str) -> Callable[..., None]:
        def fail(*_asked: object) -> None:
            raise StoreUnavailableError("The store is out of disk.")

        return fail


def drawn(address: str, house: DashboardHouse) -> list[object]:
    path, _, search = address.partition("?")
    return list(asyncio.run(draw(*page_view(house, path, search, Visit()))))


def test_a_page_is_drawn_with_everything_around_it(empty_house: DashboardHouse) -> None:
    _, menu, choices, head, bar, body = drawn("/?range=1h", empty_house)
    assert "Overview" in words(menu)
    assert "UTC" in words(choices)
    assert of_type(head, "Ticker")[0].period_s == 10
    assert of_type(bar, "TimeWindow")
    assert "Nothing has been received" in words(body)


def test_a_page_that_the_caller_may_not_open_is_not_even_looked_at() -> None:
    with pytest.raises(NotAllowedError, match="may not read"):
        page_view(house_of(NoReader(), principal=SENDER), "/requests", "", Visit())


def test_a_page_about_the_whole_fleet_asks_nothing_for_a_limited_caller() -> None:
    limited = house_of(NoReader(), NoAlerts(), principal=LIMITED)
    *_, head, bar, body = drawn("/alerts", limited)
    assert "You may read: tenant-1, tenant-2." in words(body)
    assert not of_type(head, "Ticker")
    assert bar is None


class NoAlerts(FixedAlerts):
    """Alerts that must not be asked for."""

    def states(self) -> list[FixedAlert]:
        raise AssertionError


def test_a_fixed_window_has_no_ticker(empty_house: DashboardHouse) -> None:
    head = drawn("/?from=2026-11-30T12:00:00Z&to=2026-11-30T13:00:00Z", empty_house)[3]
    assert not of_type(head, "Ticker")


def test_a_store_that_is_down_is_told_in_its_own_words_and_the_controls_stay() -> None:
    house = house_of(FailingReader())  # type: ignore[arg-type]  # it answers nothing
    *_, bar, body = drawn("/requests", house)
    assert "The store is out of disk." in words(body)
    assert of_type(bar, "TimeWindow")


def test_a_mistake_of_ours_is_logged_and_does_not_blank_the_page(caplog: pytest.LogCaptureFixture) -> None:
    async def broken() -> None:
        raise ZeroDivisionError

    with caplog.at_level(logging.ERROR):
        shown = asyncio.run(guarded(view_of("/"), broken()))
    assert "The server's log says why." in words(shown)
    assert "ZeroDivisionError" in caplog.text


def test_a_page_in_chinese_has_chinese_words(empty_house: DashboardHouse) -> None:
    body = drawn("/?lang=zh", empty_house)[-1]
    assert "此时间窗口内还没有收到数据" in words(body)
