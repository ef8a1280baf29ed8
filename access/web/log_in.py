"""Log-in and log-out with a form: sessions are opened here, whoever vouches for the person."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from hmac import compare_digest
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from access.contract import Gate, Identity, LogInRefusedError, OpenSession
from access.web.cookies import Cookie, cookie_name, cookie_value, drop_cookie, remember_language, set_cookie
from access.web.form import BadFormError, Form, read_form
from access.web.gate_calls import BusyError, GateThreads
from access.web.next_path import HOME, safe_next
from access.web.oidc_errors import Trouble
from access.web.pages import LogInForm, Notice, log_in_page, open_door_page
from access.web.refusal import RETRY_AFTER_S
from access.web.settings import WebSettings
from access.web.wording import LANGUAGES, Wording, language_of, wording
from vocabulary.errors import StoreUnavailableError

_GOOD_REASONS = frozenset({"signed_out"})
_REASONS = frozenset({"ended", *_GOOD_REASONS, *Trouble})
_FORM_MAX_S = 3600
_TEXT_MAX = 1024


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a log-in did not succeed: a key of the texts, with the seconds it may name."""

    key: str
    status: int
    seconds: int | None = None


@dataclass(frozen=True, slots=True)
class Door:
    """The routes of the form.

    gate      None while access is off
    provider  label of the identity provider's button, '' without one
    """

    gate: Gate | None
    settings: WebSettings
    provider: str = ""
    threads: GateThreads = field(default_factory=GateThreads)

    async def show(self, request: Request) -> Response:
        """GET /login. Whoever is logged in goes on."""
        asked, where = request.query_params.get("lang", ""), safe_next(request.query_params.get("next", HOME))
        say = wording(language_of(request.scope, asked))
        if self.gate is None:
            response: Response = open_door_page(say)
        elif request.scope["state"].get("session") is not None:
            response = RedirectResponse(where, 303, {"Cache-Control": "no-store"})
        else:
            reason = request.query_params.get("reason", "")
            known = Notice(say(f"log_in.{reason}"), reason not in _GOOD_REASONS) if reason in _REASONS else None
            response = self._form_page(request, say, known, LogInForm("", where))
        if asked in LANGUAGES:
            remember_language(response, asked, is_secure=self.settings.is_secure)
        return response

    async def submit(self, request: Request) -> Response:
        """POST /login. Works without JavaScript; an old session of this browser ends."""
        if self.gate is None:
            return RedirectResponse(HOME, 303)
        try:
            form = await read_form(request.scope, request.receive)
        except BadFormError:
            return self._failed(request, Failure("log_in.unreadable", 400), HOME)
        where, name = safe_next(form["next"]), form["name"]
        if not self._is_ours(request, form):
            return self._failed(request, Failure("log_in.stale", 403), where, name)
        password, gate = form["password"], self.gate
        if not 0 < len(name) <= _TEXT_MAX or not 0 < len(password) <= _TEXT_MAX:
            return self._failed(request, Failure("log_in.wrong", 403), where, name[:_TEXT_MAX])
        address, old = _address(request), self._session_cookie(request)
        opened = await self._opened(lambda: gate.log_in(name, password, address, old))
        return (
            self._let_in(opened, where)
            if isinstance(opened, OpenSession)
            else self._failed(request, opened, where, name)
        )

    async def let_in_external(self, request: Request, identity: Identity, where: str) -> Response:
        """As `submit`, for somebody that a provider vouches for."""
        assert self.gate is not None, "there is no provider while access is off"
        gate, address, old = self.gate, _address(request), self._session_cookie(request)
        opened = await self._opened(lambda: gate.log_in_external(identity, address, old))
        if isinstance(opened, OpenSession):
            return self._let_in(opened, where)
        if opened.key == "log_in.wrong":
            return self.back_to_log_in(Trouble.REFUSED, where)
        return self._failed(request, opened, where)

    async def log_out(self, request: Request) -> Response:
        """POST /logout. The session is ended here, not only forgotten by the browser."""
        if self.gate is None:
            return RedirectResponse(HOME, 303)
        cookie, gate = self._session_cookie(request), self.gate
        try:
            await self.threads.look_up(lambda: gate.log_out(cookie))
        except StoreUnavailableError:
            return self._failed(request, Failure("log_in.store", 503, RETRY_AFTER_S), HOME)
        response = self.back_to_log_in("signed_out", HOME)
        drop_cookie(response, Cookie.SESSION, is_secure=self.settings.is_secure)
        drop_cookie(response, Cookie.CSRF, is_secure=self.settings.is_secure)
        return response

    def back_to_log_in(self, reason: str, where: str) -> RedirectResponse:
        """The log-in page with a notice."""
        return RedirectResponse(
            "/login?" + urlencode({"next": where, "reason": reason}), 303, {"Cache-Control": "no-store"}
        )

    async def _opened(self, ask: Callable[[], OpenSession]) -> OpenSession | Failure:
        try:
            return await self.threads.log_in(ask)
        except LogInRefusedError as refused:
            if refused.retry_after_s is not None:
                return Failure("log_in.too_many", 429, refused.retry_after_s)
            return Failure("log_in.wrong", 403)
        except BusyError:
            return Failure("log_in.busy", 503, RETRY_AFTER_S)
        except StoreUnavailableError:
            return Failure("log_in.store", 503, RETRY_AFTER_S)

    def _let_in(self, opened: OpenSession, where: str) -> Response:
        response = RedirectResponse(where, 303, {"Cache-Control": "no-store"})
        is_secure = self.settings.is_secure
        set_cookie(response, Cookie.SESSION, opened.cookie, opened.max_age_s, is_secure=is_secure)
        set_cookie(response, Cookie.CSRF, opened.csrf, opened.max_age_s, is_secure=is_secure)
        drop_cookie(response, Cookie.LOG_IN, is_secure=is_secure)
        return response

    def _failed(self, request: Request, failure: Failure, where: str, name: str = "") -> Response:
        say = wording(language_of(request.scope))
        values = {"seconds": failure.seconds} if failure.seconds is not None else {}
        notice = Notice(say(failure.key, **values))
        response = self._form_page(request, say, notice, LogInForm("", where, name), failure.status)
        if failure.seconds is not None:
            response.headers["Retry-After"] = str(failure.seconds)
        return response

    def _form_page(
        self, request: Request, say: Wording, notice: Notice | None, form: LogInForm, status: int = 200
    ) -> Response:
        """The form carries the value of a cookie that only this site can set: no other page can log a browser in."""
        csrf = self._form_cookie(request) or secrets.token_urlsafe(32)
        shown = LogInForm(csrf, form.next, form.name, self.provider)
        response = log_in_page(say, shown, notice, status)
        set_cookie(response, Cookie.LOG_IN, csrf, _FORM_MAX_S, is_secure=self.settings.is_secure)
        return response

    def _is_ours(self, request: Request, form: Form) -> bool:
        expected = self._form_cookie(request)
        return bool(expected) and compare_digest(expected.encode(), form["csrf"].encode())

    def _form_cookie(self, request: Request) -> str:
        return cookie_value(request.scope, cookie_name(Cookie.LOG_IN, is_secure=self.settings.is_secure))

    def _session_cookie(self, request: Request) -> str:
        return cookie_value(request.scope, cookie_name(Cookie.SESSION, is_secure=self.settings.is_secure))


def _address(request: Request) -> str:
    return request.client.host if request.client else ""
