from dashboard.address import Address


def test_a_link_changes_what_it_names_and_keeps_the_rest() -> None:
    address = Address.parse("/requests", "?range=1h&service=chat&outcome=failed")
    assert address.href({"outcome": None, "tenant": "t 1"}) == "/requests?range=1h&service=chat&tenant=t%201"


def test_a_link_to_another_page_takes_the_window_and_the_pool_along_but_no_filter() -> None:
    address = Address.parse(
        "/requests", "?from=2026-11-30T00:00:00Z&to=2026-11-30T01:00:00Z&model=m&outcome=failed&lang=zh"
    )
    assert address.to("/") == "/?from=2026-11-30T00:00:00Z&to=2026-11-30T01:00:00Z&model=m&lang=zh"
    assert address.to("/", {"model": None, "service": "s"}).endswith("lang=zh&service=s")


def test_a_repeated_parameter_keeps_its_last_value_except_cursors() -> None:
    address = Address.parse("/requests", "?range=1h&range=6h&cursor=a&cursor=b")
    assert address.get("range") == "6h"
    assert address.every("cursor") == ("a", "b")
    assert address.href({"cursor": ("a",)}) == "/requests?range=6h&cursor=a"


def test_nothing_is_the_home_page() -> None:
    assert Address.parse(None, None).href({}) == "/"


def test_a_value_with_reserved_characters_survives_the_way_there_and_back() -> None:
    link = Address.parse("/", "").href({"model": "a&b=c#d ü/é"})
    path, _, search = link.partition("?")
    assert Address.parse(path, search).get("model") == "a&b=c#d ü/é"
