"""A browser for any test that ends on the screen."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.dashboard.browsing import chromium, reading


@pytest.fixture
def page() -> Iterator[Page]:
    """A page of a browser of its own; no console error and no request off this machine may happen.

    Wait with locators, or give `wait_for_function` a function: the content security policy forbids bare expressions.
    """
    with chromium() as browser, reading(browser, "http://127.0.0.1:") as found:
        yield found
