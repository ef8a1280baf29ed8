"""One endpoint for all tests of a module that only ask."""

from collections.abc import Iterator

import pytest

from tests.loadtest.endpoint.running import Endpoint, running


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with running() as one:
        yield one
