from sqlalchemy import select, true

from store.telemetry.latest import latest_requests
from store.telemetry.open import Telemetry
from tests.factories.stores import request, requests


def test_the_highest_version_is_the_current_one_in_whatever_order_it_was_written(telemetry: Telemetry) -> None:
    row = request(1)
    for version in (2, 3, 1):
        telemetry.writer.append_requests(requests({**row, "version": version, "tenant": f"t{version}"}))
    telemetry.writer.append_requests(requests(request(1)))
    found = telemetry.reads.rows(select(latest_requests("version", "tenant", where=lambda _: true())))
    assert sorted((row["version"], row["tenant"]) for row in found) == [(1, ""), (3, "t3")]
