from typing import Any

import pytest
from starlette.responses import Response

from access.web.cookies import Cookie, cookie_name, cookie_value, drop_cookie, remember_language, set_cookie


def _scope(*lines: str) -> dict[str, Any]:
    return {"headers": [(b"cookie", line.encode()) for line in lines]}


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        (["s=1"], "1"),
        (["a=0; s=1; b=2"], "1"),
        (["a=0", "s=1"], "1"),
        (["s=1; s=1"], "1"),
        (["s=1; s=2"], ""),
        (["s=1", "s=2"], ""),
        (["ss=1; xs=2"], ""),
        (["s=a=b"], "a=b"),
        (["s=" + "x" * 4097], ""),
        (["s=1; a=" + "x" * 16_384], ""),
        ([], ""),
    ],
)
def test_a_cookie_has_one_value_or_none(lines: list[str], value: str) -> None:
    assert cookie_value(_scope(*lines), "s") == value


def test_a_session_cookie_is_out_of_reach_of_scripts_and_other_sites() -> None:
    response = Response()
    set_cookie(response, Cookie.SESSION, "secret", 60, is_secure=False)
    assert response.headers["set-cookie"] == "peakline_session=secret; HttpOnly; Max-Age=60; Path=/; SameSite=lax"


def test_with_https_the_name_binds_the_cookie_to_the_host() -> None:
    response = Response()
    set_cookie(response, Cookie.SESSION, "secret", 60, is_secure=True)
    text = response.headers["set-cookie"]
    assert text.startswith("__Host-peakline_session=secret;")
    assert "Secure" in text
    assert "Domain" not in text


def test_pages_can_read_the_csrf_cookie_under_one_name() -> None:
    response = Response()
    set_cookie(response, Cookie.CSRF, "value", 60, is_secure=True)
    assert response.headers["set-cookie"] == "peakline_csrf=value; Max-Age=60; Path=/; SameSite=lax; Secure"
    assert cookie_name(Cookie.CSRF, is_secure=False) == "peakline_csrf"


def test_a_dropped_cookie_ends_at_once() -> None:
    response = Response()
    drop_cookie(response, Cookie.OIDC, is_secure=False)
    assert "Max-Age=0" in response.headers["set-cookie"]


def test_the_language_is_remembered_where_the_dashboard_looks() -> None:
    response = Response()
    remember_language(response, "zh", is_secure=False)
    assert response.headers["set-cookie"].startswith("peakline_lang=zh; Max-Age=31536000; Path=/")
