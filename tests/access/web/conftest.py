import pytest

from tests.access.web.asking import Behind, MemoryGate


@pytest.fixture
def gate() -> MemoryGate:
    return MemoryGate()


@pytest.fixture
def behind() -> Behind:
    return Behind()
