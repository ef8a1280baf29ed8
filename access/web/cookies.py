"""The cookies of access: their names, how they are read and how they are set."""

from enum import StrEnum

from starlette.responses import Response
from starlette.types import Scope

from access.web.header_values import values

VALUE_MAX = 4096
_HEADER_MAX = 16 * 1024
LANGUAGE_COOKIE = "peakline_lang"
_YEAR_S = 365 * 24 * 3600


class Cookie(StrEnum):
    """Cookies that only this room writes.

    session  the secret of a session
    csrf     what requests of a session carry in a header; pages read it, so it has one name everywhere
    log_in   what the log-in form must carry as a field
    oidc     a log-in that is under way at the provider
    """

    SESSION = "peakline_session"
    CSRF = "peakline_csrf"
    LOG_IN = "peakline_login"
    OIDC = "peakline_oidc"


def cookie_name(cookie: Cookie, *, is_secure: bool) -> str:
    """The name in the browser. With https it starts with `__Host-`: no other host can set or replace it."""
    return f"__Host-{cookie}" if is_secure and cookie is not Cookie.CSRF else str(cookie)


def cookie_value(scope: Scope, name: str) -> str:
    """The value of a cookie; '' where it is missing, too long, or there are several: one of them is not ours."""
    text = ";".join(values(scope, b"cookie"))
    if len(text) > _HEADER_MAX:
        return ""
    pairs = (pair.strip().partition("=") for pair in text.split(";"))
    found = {value.strip() for key, _, value in pairs if key == name}
    value = found.pop() if len(found) == 1 else ""
    return value if len(value) <= VALUE_MAX else ""


def set_cookie(response: Response, cookie: Cookie, value: str, max_age_s: int, *, is_secure: bool) -> None:
    """Set for the whole site; scripts may read the csrf cookie only."""
    response.set_cookie(
        cookie_name(cookie, is_secure=is_secure),
        value,
        max_age=max_age_s,
        path="/",
        secure=is_secure,
        httponly=cookie is not Cookie.CSRF,
        samesite="lax",
    )


def drop_cookie(response: Response, cookie: Cookie, *, is_secure: bool) -> None:
    """Tell the browser to forget it."""
    set_cookie(response, cookie, "", 0, is_secure=is_secure)


def remember_language(response: Response, language: str, *, is_secure: bool) -> None:
    """As the dashboard does when somebody chooses a language."""
    response.set_cookie(LANGUAGE_COOKIE, language, max_age=_YEAR_S, path="/", secure=is_secure, samesite="lax")
