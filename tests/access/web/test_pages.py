import re

from access.web.pages import LogInForm, Notice, log_in_page, open_door_page, refused_page, sentence
from access.web.refusal import Reason, RefusedError
from access.web.wording import wording
from tests.access.web.asking import principal
from vocabulary.access import Permission, Role

EN, ZH = wording("en"), wording("zh")


def _text(response: object) -> str:
    return bytes(response.body).decode()  # type: ignore[attr-defined]  # a Response


def test_a_form_can_be_filled_in_by_people_and_password_managers() -> None:
    html = _text(log_in_page(EN, LogInForm("c", "/requests", "ada"), None))
    assert '<form method="post" action="/login">' in html
    assert re.search(r'<label>Name\s<input name="name" value="ada" autocomplete="username"', html)
    assert re.search(r'<label>Password\s<input name="password" type="password" autocomplete="current-password"', html)
    assert '<input type="hidden" name="next" value="/requests">' in html
    assert html.count("autofocus") == 1


def test_nothing_on_a_page_is_inline_or_from_elsewhere() -> None:
    response = log_in_page(EN, LogInForm("c", provider="x"), Notice("y"))
    html = _text(response)
    assert not re.search(r"<script|<style|style=| on\w+=|https?://", html)
    assert "unsafe" not in response.headers["content-security-policy"]
    assert response.headers["content-security-policy"].startswith("default-src 'none'")
    assert response.headers["cache-control"] == "no-store"


def test_what_people_typed_and_what_was_configured_is_no_markup() -> None:
    evil = "\"><script>alert(1)</script>'"
    html = _text(log_in_page(EN, LogInForm(evil, evil, evil, evil), Notice(evil)))
    assert "<script" not in html
    assert html.count("&lt;script&gt;") == 5


def test_a_bad_notice_is_read_out_and_a_good_one_waits() -> None:
    assert '<p class="notice is-bad" role="alert">wrong</p>' in _text(log_in_page(EN, LogInForm(""), Notice("wrong")))
    good = _text(log_in_page(EN, LogInForm(""), Notice("bye", is_bad=False)))
    assert '<p class="notice" role="status">bye</p>' in good


def test_the_page_speaks_the_language_and_offers_the_other() -> None:
    html = _text(log_in_page(ZH, LogInForm("", "/tiers", provider="示例"), None))
    assert '<html lang="zh-Hans">' in html
    assert "<h1>登录</h1>" in html
    assert "使用 示例 继续" in html
    assert 'href="/login?lang=en&amp;next=%2Ftiers" lang="en" hreflang="en">English' in html
    assert html.count("aria-current") == 1


def test_a_provider_is_a_button_only_where_there_is_one() -> None:
    assert "/login/oidc" not in _text(log_in_page(EN, LogInForm(""), None))
    assert '<a class="button" href="/login/oidc?next=%2Fa">Continue with Example</a>' in _text(
        log_in_page(EN, LogInForm("", "/a", provider="Example"), None)
    )


def test_an_open_door_has_no_form_and_says_so() -> None:
    html = _text(open_door_page(EN))
    assert "<form" not in html
    assert "No log-in is needed" in html


def test_a_refused_person_learns_who_they_are_what_is_missing_and_how_to_leave() -> None:
    refused = RefusedError(
        Reason.NO_PERMISSION, principal(Role.VIEWER), frozenset({Permission.OPERATE, Permission.ADMINISTER}), "c-1"
    )
    response = refused_page(EN, refused)
    html = _text(response)
    assert response.status_code == 403
    assert "permission to change tokens, users and settings or change silences and incidents" in html
    assert "You are viewer-name (viewer)." in html
    assert '<form method="post" action="/logout"><input type="hidden" name="csrf" value="c-1">' in html
    assert "您是 viewer-name（查看者）。" in _text(refused_page(ZH, refused))


def test_only_who_may_see_the_overview_is_sent_there() -> None:
    for role, is_sent in ((Role.VIEWER, True), (Role.INGEST, False)):
        html = _text(refused_page(EN, RefusedError(Reason.NO_RULE, principal(role))))
        assert ("To the overview" in html) is is_sent
        assert ("To the settings" in html) is not is_sent


def test_somebody_unknown_is_told_the_reason_alone() -> None:
    html = _text(refused_page(EN, RefusedError(Reason.NOT_LOCAL)))
    assert "use http://127.0.0.1" in html
    assert "You are" not in html
    assert "/logout" not in html


def test_every_reason_makes_a_sentence_with_and_without_a_name() -> None:
    for reason in Reason:
        known = sentence(EN, RefusedError(reason, principal(Role.VIEWER), frozenset({Permission.SEND})))
        assert "{" not in known
        if reason not in {Reason.NO_PERMISSION, Reason.WHOLE_FLEET}:
            assert sentence(EN, RefusedError(reason)) == known
