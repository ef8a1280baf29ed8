import pytest

from alerts.reading import LoadReader, Reading
from store.telemetry.open import Telemetry
from tests.factories.stores import START_NS, request, requests
from vocabulary.errors import RefusedReadError
from vocabulary.pools import SECOND_NS, Pool

POOL = Pool("chat", "m")
NOW_S = 600


@pytest.fixture
def load(telemetry: Telemetry) -> LoadReader:
    """Reads what the store holds, ten minutes after START_NS."""
    return LoadReader(telemetry.reader, lambda: START_NS + NOW_S * SECOND_NS)


def store(telemetry: Telemetry, count: int, ago_s: float, **named: object) -> None:
    """Requests that ended `ago_s` before now."""
    telemetry.writer.append_requests(requests(*(request(NOW_S - ago_s - 1, **named) for _ in range(count))))


def test_load_is_requests_per_second_and_ready_replica(telemetry: Telemetry, load: LoadReader) -> None:
    store(telemetry, 240, 30, replica="r0")
    store(telemetry, 240, 10, replica="r1")
    assert load(POOL, 60) == Reading(4.0, 480, 2)
    assert load(Pool("other", "m"), 60) == Reading(None, 0, 0)


def test_a_replica_without_a_request_in_a_short_window_is_still_ready(telemetry: Telemetry, load: LoadReader) -> None:
    store(telemetry, 1, 119, replica="r1")
    store(telemetry, 30, 5, replica="r0")
    assert load(POOL, 10) == Reading(1.5, 30, 2)


def test_a_replica_is_not_ready_two_minutes_after_its_last_request(telemetry: Telemetry, load: LoadReader) -> None:
    store(telemetry, 1, 121, replica="r1")
    store(telemetry, 30, 5, replica="r0")
    assert load(POOL, 10) == Reading(3.0, 30, 1)
    assert load(POOL, 300).replicas == 2


def test_a_pool_that_names_no_replica_has_one(telemetry: Telemetry, load: LoadReader) -> None:
    store(telemetry, 60, 5, replica="")
    assert load(POOL, 60) == Reading(1.0, 60, 1)


def test_a_silent_window_is_no_data_even_with_ready_replicas(telemetry: Telemetry, load: LoadReader) -> None:
    store(telemetry, 5, 90, replica="r0")
    assert load(POOL, 60) == Reading(None, 0, 1)


def test_imports_and_load_tests_change_nothing(telemetry: Telemetry, load: LoadReader) -> None:
    store(telemetry, 60, 5, replica="r0")
    before = load(POOL, 60)
    store(telemetry, 100, 5, replica="r8", import_id="azure")
    store(telemetry, 100, 5, replica="r9", load_test="sweep")
    assert load(POOL, 60) == before == Reading(1.0, 60, 1)


def test_a_window_longer_than_the_store_reads_is_refused(load: LoadReader) -> None:
    with pytest.raises(RefusedReadError, match="at most 900 s"):
        load(POOL, 901)
