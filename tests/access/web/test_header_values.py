from typing import Any

from access.web.header_values import are_bounded, listed, single, values, wants_page


def _scope(*headers: tuple[bytes, bytes]) -> dict[str, Any]:
    return {"headers": list(headers)}


def test_a_header_that_came_twice_is_no_single_value() -> None:
    scope = _scope((b"Origin", b"a"), (b"origin", b"b"))
    assert values(scope, b"origin") == ["a", "b"]
    assert single(scope, b"origin") == ""
    assert single(_scope((b"origin", b"a")), b"origin") == "a"


def test_a_list_runs_over_several_lines_without_empty_parts() -> None:
    assert listed(_scope((b"x", b"a, ,b"), (b"x", b" c ")), b"x") == ["a", "b", "c"]


def test_headers_are_bounded_in_number_and_size() -> None:
    assert are_bounded(_scope(*[(b"a", b"b")] * 200))
    assert not are_bounded(_scope(*[(b"a", b"b")] * 201))
    assert not are_bounded(_scope((b"a", b"b" * 65_536)))


def test_a_page_is_wanted_where_html_is_accepted() -> None:
    assert wants_page(_scope((b"accept", b"text/html,application/xhtml+xml")))
    assert not wants_page(_scope((b"accept", b"*/*")))
    assert not wants_page(_scope())
