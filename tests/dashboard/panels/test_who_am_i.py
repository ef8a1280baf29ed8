from dashboard.panels.who_am_i import password_form, who_am_i
from tests.dashboard.looking import NoReader, house_of, view_of, words
from tests.dashboard.people import LIMITED, SENDER


def test_name_role_rights_tenants_and_the_end_of_the_session_are_told() -> None:
    view = view_of("/settings", house_of(NoReader(), principal=LIMITED), session_left_s=3600)
    shown = words(who_am_i(view))
    assert "Name lim Came in as a person with a session" in shown
    assert "May read requests, reports and alerts Tenants tenant-1, tenant-2" in shown
    assert shown.endswith("Session ends 2026-11-30 14:00 UTC")


def test_a_token_has_no_session() -> None:
    shown = words(who_am_i(view_of("/settings?lang=zh", house_of(NoReader(), principal=SENDER))))
    assert "API 令牌" in shown
    assert "会话结束" not in shown


def test_a_new_password_is_written_twice_and_sent_once() -> None:
    form = password_form(view_of("/settings"))
    assert (form.method, form.path) == ("POST", "/api/v1/me/password")
    assert [field["name"] for field in form.fields if "same_as" not in field] == ["old", "new"]
