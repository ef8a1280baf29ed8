from dashboard.latest import newest_activity
from store.control.open import Control
from store.telemetry.open import Telemetry
from tests.factories.requests import request_rows, shown
from tests.factories.stores import START_NS
from vocabulary.pools import MINUTE_NS

DAY_NS = 1440 * MINUTE_NS


def test_an_empty_store_has_no_newest_traffic(telemetry: Telemetry) -> None:
    assert newest_activity(telemetry.reader, START_NS) is None


def test_the_newest_pool_is_found_however_old_it_is(telemetry: Telemetry, control: Control) -> None:
    rows = [request_rows(3), request_rows(2, 120, service="later")]
    found = newest_activity(shown(telemetry, control, *rows).reader, START_NS + 1000 * DAY_NS)
    assert found is not None
    assert (found.pool.service, found.requests) == ("later", 2)


def test_a_limited_reader_looks_back_in_steps_that_it_may_ask_for(telemetry: Telemetry, control: Control) -> None:
    rows = request_rows(3, tenant="a")
    reader = shown(telemetry, control, rows).reader.within({"a"})
    found = newest_activity(reader, START_NS + 100 * DAY_NS, is_limited=True)
    assert found is not None
    assert found.requests == 3
