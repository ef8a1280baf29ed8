from dashboard.access_text import TokenState, grants_text, tenants_text, token_state
from dashboard.wording import wording
from tests.dashboard.people import token
from tests.dashboard.scenery import NOW_NS
from vocabulary.access import Role

EN, ZH = wording("en"), wording("zh")


def test_all_tenants_none_and_some_are_told_apart() -> None:
    assert tenants_text(None, EN) == "all tenants"
    assert tenants_text(frozenset(), EN) == "no tenant"
    assert tenants_text(frozenset({"b", "a"}), EN) == "a, b"
    assert tenants_text(frozenset("abcdef"), EN) == "a, b, c, d and 2 more"


def test_what_a_role_may_do_is_said_in_words() -> None:
    assert grants_text(Role.AUDITOR, EN) == (
        "read requests, reports and alerts, read tokens, users and the configuration, add replays and evidence"
    )
    assert grants_text(Role.INGEST, ZH) == "发送遥测数据"


def test_a_token_lets_in_until_its_end_or_its_revocation() -> None:
    assert token_state(token("a"), NOW_NS) is TokenState.ACTIVE
    assert token_state(token("a", expires_ns=NOW_NS + 1), NOW_NS) is TokenState.ACTIVE
    assert token_state(token("a", expires_ns=NOW_NS), NOW_NS) is TokenState.EXPIRED
    assert token_state(token("a", expires_ns=1, revoked_ns=2), NOW_NS) is TokenState.REVOKED
