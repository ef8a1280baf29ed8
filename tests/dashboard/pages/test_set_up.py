import asyncio

from dashboard.house import DashboardHouse
from dashboard.pages import set_up
from store.control.open import Control
from store.telemetry.open import Telemetry
from tests.dashboard.looking import house_of, view_of, words
from tests.dashboard.people import LIMITED
from tests.factories.requests import request_rows, shown


def test_the_lines_stand_there_and_the_light_waits(empty_house: DashboardHouse) -> None:
    page = words(asyncio.run(set_up.body(view_of("/setup", empty_house))))
    assert "Waiting for the first span" in page
    assert "vllm serve MODEL --otlp-traces-endpoint" in page
    assert "Nothing was received" in page


def test_the_light_turns_with_the_first_request(telemetry: Telemetry, control: Control) -> None:
    shown(telemetry, control, request_rows(1))
    view = view_of("/setup", house_of(telemetry.reader))
    assert "Receiving. Newest request: 2025-10-09" in words(asyncio.run(set_up.body(view)))
    assert set_up.refresh_s(view) == 3


def test_a_limited_reader_waits_for_their_own_requests_and_sees_no_record_ledger(
    telemetry: Telemetry, control: Control
) -> None:
    shown(telemetry, control, request_rows(1, tenant="tenant-3"))
    limited = house_of(telemetry.reader.within(LIMITED.tenants), principal=LIMITED)
    page = words(asyncio.run(set_up.body(view_of("/setup", limited))))
    assert "Waiting for the first span" in page
    assert "Record ledger About the whole fleet" in page
    assert "Nothing was received" not in page
