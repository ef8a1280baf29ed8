"""The demo's cluster: contended at a weekday's peak, and a warning line that live load crosses."""

import pytest

from loadtest.fleet.demo_plan import CHAT, REASONING, RISE, TENANTS, demo_fault, demo_line, demo_plan
from loadtest.fleet.traffic import Traffic
from tests.factories.fleets import MONDAY_NS


def test_shares_add_up() -> None:
    assert sum(model.share for model in (CHAT, REASONING)) == pytest.approx(1.0)
    assert sum(tenant.share for tenant in TENANTS) == pytest.approx(1.0)
    assert {tenant.service_tier for tenant in TENANTS} == {"core", "general", "batch"}


def test_the_line_lies_between_the_start_and_the_end_of_the_rise() -> None:
    plan = demo_plan(1, MONDAY_NS, 21_500)
    peak = float(Traffic(plan).weekday_peak().sum()) * CHAT.share / CHAT.replicas
    assert RISE.from_factor * peak < 0.9 * demo_line(plan)
    assert demo_line(plan) < 0.7 * RISE.to_factor * peak


def test_the_fault_names_a_replica_that_exists() -> None:
    fault = demo_fault(10.0)
    assert fault.at_s == 10.0
    assert 0 <= fault.replica < (CHAT, REASONING)[fault.model].replicas
