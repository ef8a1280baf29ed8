import inspect

import pytest

from dashboard.pages.table import MISSING, PAGES, find, menu_pages
from dashboard.wording import wording
from tests.dashboard.looking import view_of
from tests.dashboard.people import LIMITED, SENDER, VERA
from vocabulary.access import Permission


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/", "overview"),
        ("/requests", "requests"),
        ("/requests/", "requests"),
        ("/requests/abc", "request"),
        ("/alerts", "alerts"),
        ("/setup", "setup"),
        ("/health", "health"),
        ("/settings", "settings"),
    ],
)
def test_a_path_finds_its_page(path: str, name: str) -> None:
    assert find(path)[0].name == name


@pytest.mark.parametrize("path", ["/tiers", "/requests/a/b", "/incidents", "//", "/health/x", "/Alerts"])
def test_a_page_that_does_not_exist_yet_is_not_found(path: str) -> None:
    assert find(path)[0] is MISSING


def test_every_page_asks_without_blocking() -> None:
    asked = [part for page in PAGES for part in (page.body, page.bar) if part is not None]
    assert all(inspect.iscoroutinefunction(part) for part in asked)


def test_every_page_has_its_words_and_a_key_of_its_own() -> None:
    for page in (*PAGES, MISSING):
        assert wording("en")(f"page.{page.name}")
        assert wording("zh")(f"page.{page.name}_about")
    keys = [page.key for page in PAGES if page.key]
    assert len(set(keys)) == len(keys)


def test_all_pages_need_read_but_settings() -> None:
    assert {page.name for page in PAGES if page.needs is None} == {"settings"}
    assert {page.needs for page in (*PAGES, MISSING)} == {None, Permission.READ}
    assert {page.name for page in PAGES if page.whole_fleet} == {"alerts"}


def test_the_menu_is_what_the_caller_may_open() -> None:
    assert [page.name for page in menu_pages(SENDER)] == ["settings"]
    assert menu_pages(LIMITED) == menu_pages(VERA)


def test_a_list_does_not_move_under_the_pointer() -> None:
    assert find("/requests")[0].refresh_s(view_of("/requests")) == 0
