import pytest

from analyzer.questions.overview import overview
from analyzer.questions.tiers import tier_report
from store.control.open import Control
from store.telemetry.open import Telemetry
from tests.factories.requests import request_rows, shown
from tests.factories.stores import START_NS
from vocabulary.pools import MINUTE_NS, Pool, Window

POOL = Pool("chat", "m")
WINDOW = Window(START_NS, START_NS + 60 * MINUTE_NS)


@pytest.mark.parametrize(("replica", "is_unknown"), [("", True), ("r0", False)])
def test_load_is_that_of_the_pool_where_no_request_names_its_replica(
    telemetry: Telemetry, control: Control, replica: str, *, is_unknown: bool
) -> None:
    shown(telemetry, control, request_rows(40, replica=replica))
    report = tier_report(telemetry.reader, POOL, WINDOW)
    assert ("replicas_unknown" in report.flags) is is_unknown
    assert overview(telemetry.reader, POOL, WINDOW).is_per_pool is is_unknown


def test_an_empty_window_says_nothing_of_replicas(telemetry: Telemetry) -> None:
    assert not overview(telemetry.reader, POOL, WINDOW).is_per_pool
    assert not overview(telemetry.reader, None, WINDOW).is_per_pool
