import asyncio

from dashboard.view import LANGUAGE_COOKIE, TIME_COOKIE, ZONE_COOKIE
from tests.dashboard.looking import view_of
from vocabulary.pools import Pool


def test_times_are_utc_unless_local_is_asked_for() -> None:
    cookies = {ZONE_COOKIE: "Asia/Shanghai"}
    assert view_of("/", cookies=cookies).clock.name == "UTC"
    assert view_of("/?tz=local", cookies=cookies).clock.name == "Asia/Shanghai"


def test_the_browser_remembers_zone_and_language_and_the_address_wins() -> None:
    cookies = {ZONE_COOKIE: "Asia%2FShanghai", TIME_COOKIE: "local", LANGUAGE_COOKIE: "zh"}
    view = view_of("/", cookies=cookies)
    assert (view.clock.name, view.say.language) == ("Asia/Shanghai", "zh")
    view = view_of("/?tz=UTC&lang=en", cookies=cookies)
    assert (view.clock.name, view.say.language) == ("UTC", "en")


def test_a_browser_that_remembers_nothing_is_asked_for_its_languages() -> None:
    assert view_of("/", accept_language="zh-CN").say.language == "zh"
    assert view_of("/?lang=en", accept_language="zh-CN").say.language == "en"


def test_a_pool_may_be_named_by_half() -> None:
    assert view_of("/?model=m").asked_pool == Pool("", "m")
    assert view_of("/").asked_pool is None


def test_parts_of_the_path_are_named_by_the_page() -> None:
    assert view_of("/requests/abc").parts == {"request_key": "abc"}


def test_a_question_is_asked_once_however_many_parts_want_its_answer() -> None:
    asked: list[int] = []

    def question() -> int:
        asked.append(1)
        return 7

    async def twice() -> tuple[int, int]:
        view = view_of("/")
        first, second = await asyncio.gather(view.once("n", question), view.once("n", question))
        return first, second

    assert asyncio.run(twice()) == (7, 7)
    assert len(asked) == 1
