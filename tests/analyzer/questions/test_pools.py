from typing import Any

import pytest

from analyzer.questions.pools import AmbiguousPoolError, chosen_load_test, chosen_pool, load_tests, pools, window_of
from store.contract import LoadTest
from store.control.open import Control
from store.telemetry.open import Telemetry
from tests.factories.requests import request_rows, shown
from tests.factories.stores import START_NS
from vocabulary.pools import MINUTE_NS, Pool, Window

WINDOW = Window(START_NS, START_NS + 60 * MINUTE_NS)
DAY_S = 86_400.0


@pytest.fixture
def filled(telemetry: Telemetry, control: Control) -> Telemetry:
    """Pools (chat, m) and (chat, n) in production, a sweep on (gate, m)."""
    sweep: dict[str, Any] = {"load_test": "sweep", "offered_rps": 5.0, "load_test_step": 0, "service": "gate"}
    return shown(telemetry, control, request_rows(5), request_rows(9, model="n"), request_rows(3, 120.0, **sweep))


def test_pools_come_busiest_first(filled: Telemetry) -> None:
    assert [(found.pool.model, found.requests) for found in pools(filled.reader, WINDOW)] == [("n", 9), ("m", 5)]


def test_a_window_of_decades_is_read_in_parts(telemetry: Telemetry, control: Control) -> None:
    shown(telemetry, control, request_rows(5), request_rows(4, 900 * DAY_S))
    (found,) = pools(telemetry.reader, Window(0, START_NS + 3000 * 1440 * MINUTE_NS))
    assert found.requests == 9
    assert found.last_ns - found.first_ns >= 900 * 1440 * MINUTE_NS


def test_the_only_pool_that_fits_is_meant(filled: Telemetry) -> None:
    assert chosen_pool(filled.reader, WINDOW, model="n") == Pool("chat", "n")
    assert chosen_pool(filled.reader, WINDOW, "any", "thing") == Pool("any", "thing")
    assert chosen_pool(filled.reader, WINDOW, model="absent") == Pool("", "absent")


def test_several_pools_that_fit_are_listed(filled: Telemetry) -> None:
    with pytest.raises(AmbiguousPoolError, match="service=chat model=n") as caught:
        chosen_pool(filled.reader, WINDOW, "chat")
    assert list(caught.value.pools) == [Pool("chat", "n"), Pool("chat", "m")]


def test_a_load_test_is_found_by_its_name(filled: Telemetry) -> None:
    (run,) = load_tests(filled.reader)
    assert chosen_load_test(filled.reader, "sweep") == run
    assert run.pool == Pool("gate", "m")
    assert chosen_load_test(filled.reader, "sweep", "chat") is None
    assert chosen_load_test(filled.reader, "absent") is None


def test_the_window_of_a_load_test_holds_all_of_it() -> None:
    window = window_of(LoadTest("sweep", Pool("a", "b"), 2, first_ns=90 * 10**9, last_ns=3 * MINUTE_NS))
    assert window == Window(MINUTE_NS, 4 * MINUTE_NS)
