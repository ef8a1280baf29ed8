"""Two runs that many tests look at: nobody changes them."""

import pytest

from tests.factories.emissions import Emitted, emission_plan, emit, every_happening


@pytest.fixture(scope="session")
def quiet() -> Emitted:
    return emit(emission_plan(), hours=6.0)


@pytest.fixture(scope="session")
def eventful() -> Emitted:
    plan = emission_plan()
    return emit(plan, hours=2.0, timeline=every_happening(plan))
