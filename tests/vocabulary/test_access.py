"""Roles are fixed sets of permissions, and a limit on tenants is seen."""

import pytest

from vocabulary.access import ANONYMOUS, GRANTS, Objection, Permission, Principal, PrincipalKind, Role, Rule


def of(role: Role) -> Principal:
    return Principal(PrincipalKind.TOKEN, "1", "t", role)


def test_every_role_has_its_grants_and_no_permission_is_out_of_reach() -> None:
    assert set(GRANTS) == set(Role)
    assert GRANTS[Role.ADMIN] == set(Permission)


def test_a_sender_reads_nothing() -> None:
    assert [one for one in Permission if of(Role.INGEST).may(one)] == [Permission.SEND]


def test_an_auditor_reads_everything_appends_evidence_and_changes_nothing() -> None:
    may = {one for one in Permission if of(Role.AUDITOR).may(one)}
    assert may == {Permission.READ, Permission.READ_SETTINGS, Permission.APPEND_EVIDENCE}


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR, Role.AUDITOR, Role.INGEST])
def test_only_an_administrator_administers(role: Role) -> None:
    assert not of(role).may(Permission.ADMINISTER)


def test_a_principal_without_any_tenant_is_limited_too() -> None:
    nobody = Principal(PrincipalKind.TOKEN, "1", "t", Role.VIEWER, frozenset())
    assert (nobody.is_limited, of(Role.VIEWER).is_limited, ANONYMOUS.is_limited) == (True, False, False)


@pytest.mark.parametrize(
    ("rule", "role", "told"),
    [
        (Rule(frozenset({"GET"}), "/x", is_public=True), Role.INGEST, None),
        (Rule(frozenset({"GET"}), "/x"), Role.INGEST, None),
        (Rule(frozenset({"GET"}), "/x", frozenset({Permission.READ})), Role.INGEST, Objection.PERMISSION),
        (Rule(frozenset({"GET"}), "/x", frozenset({Permission.READ, Permission.SEND})), Role.INGEST, None),
        (Rule(frozenset({"GET"}), "/x", frozenset({Permission.READ})), Role.VIEWER, None),
    ],
)
def test_a_rule_lets_in_who_has_any_of_what_it_needs(rule: Rule, role: Role, told: Objection | None) -> None:
    assert rule.objection(of(role)) is told


def test_what_is_about_the_whole_fleet_is_kept_from_who_is_limited() -> None:
    limited = Principal(PrincipalKind.TOKEN, "1", "t", Role.VIEWER, frozenset({"a"}))
    rule = Rule(frozenset({"GET"}), "/x", frozenset({Permission.READ}), whole_fleet=True)
    assert (rule.objection(limited), rule.objection(of(Role.VIEWER))) == (Objection.WHOLE_FLEET, None)
