import asyncio

from dashboard.pages import missing
from tests.dashboard.looking import hrefs, view_of, words


def test_an_unknown_address_is_named_and_a_way_out_is_shown() -> None:
    page = asyncio.run(missing.body(view_of("/no/such?range=1h&lang=zh")))
    assert "/no/such" in words(page)
    assert hrefs(page) == ["/?range=1h&lang=zh"]
