import pytest
from sqlalchemy import literal, select

from store.telemetry.open import Telemetry
from store.telemetry.scope import COUNTED_DAYS, EVERYBODY, NAMES_BYTES_MAX, TENANTS_MAX, Scope
from store.telemetry.tables import requests as requests_table
from tests.factories.stores import request, requests
from vocabulary.errors import RefusedReadError
from vocabulary.pools import SECOND_NS, Window

DAY_NS = 86_400 * SECOND_NS


def seen(store: Telemetry, scope: Scope) -> set[str]:
    """Tenants of the rows that a scope admits."""
    rows = store.reads.rows(select(requests_table.c.tenant).where(scope.admits(requests_table.c)))
    return {row["tenant"] for row in rows}


@pytest.mark.parametrize(
    "tenant",
    [
        "a",
        "it's",
        'say "x"',
        "back\\slash",
        "100% %(x)s {y}",
        "租户",
        "a\nb\tc",
        "nul\0byte",
        "') OR 1=1 --",
        "🦊",
        " ",
    ],
)
def test_tenants_are_data_whatever_they_contain(telemetry: Telemetry, tenant: str) -> None:
    telemetry.writer.append_requests(requests(request(1, tenant=tenant), request(2, tenant="other"), request(3)))
    assert seen(telemetry, EVERYBODY.within({tenant})) == {tenant}


def test_no_tenants_are_no_rows(telemetry: Telemetry) -> None:
    telemetry.writer.append_requests(requests(request(1), request(2, tenant="a")))
    assert seen(telemetry, EVERYBODY.within(frozenset())) == set()
    assert seen(telemetry, EVERYBODY) == {"", "a"}


def test_who_names_no_tenant_is_not_seen_by_asking_for_it(telemetry: Telemetry) -> None:
    telemetry.writer.append_requests(requests(request(1), request(2, tenant="a")))
    assert seen(telemetry, EVERYBODY.within({""})) == set()
    assert seen(telemetry, EVERYBODY.within({"", "a"})) == {"a"}


def test_a_scope_only_narrows() -> None:
    ours = EVERYBODY.within({"a", "b"})
    assert ours.within({"b", "c"}).tenants == frozenset({"b"})
    assert ours.within(None) is ours
    assert ours.within(set()).tenants == frozenset()
    assert ours.within(set()).within({"a"}).tenants == frozenset()
    assert EVERYBODY.within(None) is EVERYBODY
    assert not EVERYBODY.is_limited


def test_as_many_tenants_as_are_allowed_fit_into_a_statement(telemetry: Telemetry) -> None:
    width = NAMES_BYTES_MAX // TENANTS_MAX
    names = {f"{number:05d}".ljust(width, "'" if number % 2 else "\\") for number in range(TENANTS_MAX)}
    scope = EVERYBODY.within(names)
    last = max(names)
    telemetry.writer.append_requests(requests(request(1, tenant=last), request(2, tenant="other")))
    assert seen(telemetry, scope) == {last}
    twice = select(literal(1)).where(scope.admits(requests_table.c), scope.admits(requests_table.c))
    assert telemetry.reads.table(twice).num_rows == 1


def test_more_tenants_than_a_statement_can_name_are_refused_in_words() -> None:
    with pytest.raises(RefusedReadError, match="10001 tenants were asked for"):
        EVERYBODY.within({str(number) for number in range(TENANTS_MAX + 1)})
    with pytest.raises(RefusedReadError, match=r"names of 2 tenants are .* bytes long"):
        EVERYBODY.within({"租" * (NAMES_BYTES_MAX // 3), "b" * 10})


def test_counts_of_some_tenants_cover_a_month_at_most() -> None:
    month, longer = Window(0, COUNTED_DAYS * DAY_NS), Window(0, COUNTED_DAYS * DAY_NS + DAY_NS // 2)
    EVERYBODY.check_counted(longer)
    EVERYBODY.within({"a"}).check_counted(month)
    with pytest.raises(RefusedReadError, match=r"31\.5 days long; .* at most 31 days"):
        EVERYBODY.within({"a"}).check_counted(longer)
