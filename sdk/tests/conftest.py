from collections.abc import Iterator

import pytest
from opentelemetry import trace

from peakline.inference import _Emitter
from sdk.tests.receiver import Receiver, receiving


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as running:
        yield running


@pytest.fixture(autouse=True)
def _fresh_provider() -> Iterator[None]:
    """OpenTelemetry allows one global provider per process; each test starts without one and leaves none."""
    forget_the_provider()
    yield
    forget_the_provider()


def forget_the_provider() -> None:
    _Emitter.provider = None
    trace._TRACER_PROVIDER = None
    trace._TRACER_PROVIDER_SET_ONCE._done = False
