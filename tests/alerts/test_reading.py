import pytest

from alerts.reading import LoadReader, Reading
from vocabulary.pools import SECOND_NS, Pool, Window

POOL = Pool("chat", "llama")
NOW_NS = 500 * SECOND_NS


class Store:
    def __init__(self, requests: int, replicas: int) -> None:
        self.answer = (requests, replicas)

    def arrivals(self, pool: Pool | None, window: Window) -> tuple[int, int]:
        assert pool == POOL
        assert window == Window(440 * SECOND_NS, NOW_NS)
        return self.answer


@pytest.mark.parametrize(
    ("requests", "replicas", "load"),
    [(480, 2, 4.0), (60, 1, 1.0), (0, 0, None), (0, 3, None), (7, 0, None)],
)
def test_load_is_requests_per_second_and_ready_replica(requests: int, replicas: int, load: float | None) -> None:
    read = LoadReader(Store(requests, replicas), lambda: NOW_NS)
    assert read(POOL, 60) == Reading(load, requests, replicas)
