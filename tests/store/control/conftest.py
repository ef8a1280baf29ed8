"""Every control test runs on SQLite and on PostgreSQL."""

import pytest

from store.control.open import Control


@pytest.fixture(params=["control", "shared_control"], ids=["sqlite", "postgresql"])
def any_control(request: pytest.FixtureRequest) -> Control:
    found: Control = request.getfixturevalue(request.param)
    return found
