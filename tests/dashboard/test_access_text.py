from dashboard.access_text import grants_text, tenants_text
from dashboard.wording import wording
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
