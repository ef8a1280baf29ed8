"""The demo's cluster: contended at a weekday's peak."""

import pytest

from loadtest.scenarios.demo_plan import CHAT, REASONING, TENANTS, demo_fault


def test_shares_add_up() -> None:
    assert sum(model.share for model in (CHAT, REASONING)) == pytest.approx(1.0)
    assert sum(tenant.share for tenant in TENANTS) == pytest.approx(1.0)
    assert {tenant.service_tier for tenant in TENANTS} == {"core", "general", "batch"}


def test_the_fault_names_a_replica_that_exists() -> None:
    fault = demo_fault(10.0)
    assert fault.at_s == 10.0
    assert fault.model == CHAT.name
    assert all(0 <= replica < CHAT.replicas for replica in fault.replicas)
