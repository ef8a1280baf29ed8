"""The door: every HTTP request and every websocket passes here before any route or callback sees it."""

from collections.abc import Callable, Iterable

from starlette.types import ASGIApp, Receive, Scope, Send

from access.contract import Gate
from access.web.admission import Admission
from access.web.answers import LOG_IN, Answers, StatusAnswer, close_code
from access.web.refusal import RefusedError
from access.web.rulebook import RuleBook
from access.web.security_headers import secured
from access.web.settings import WebSettings
from vocabulary.access import Rule

OnRefused = Callable[[str, str, int], None]


class AccessLayer:
    """Pure ASGI layer in front of the application: names the principal, refuses whom no rule lets in.

    `scope["state"]["principal"]` is a Principal, or None on public paths; `scope["state"]["session"]` is the
    OpenSession of a cookie, or None. Client, scheme and Host are those behind trusted proxies.

    gate         None while access is off
    rules        of all routes; see `RuleBook`
    otlp_status  makes the answer that OTLP exporters read; a refused body is neither read nor stored
    on_refused   told of every refused HTTP request: method, path, status of the answer
    """

    def __init__(
        self,
        app: ASGIApp,
        gate: Gate | None,
        rules: Iterable[Rule],
        settings: WebSettings,
        otlp_status: StatusAnswer,
        on_refused: OnRefused = lambda _method, _path, _status: None,
    ) -> None:
        self._app = app
        book = RuleBook(rules)
        self._admission = Admission(gate, book, settings)
        self._answers = Answers(otlp_status, has_log_in=book.find("GET", LOG_IN) is not None)
        self._is_secure = settings.is_secure
        self._on_refused = on_refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on with a principal, or refuse; a websocket is closed before it opens."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        scope = {**scope, "state": {**scope.get("state", {}), "principal": None, "session": None}}
        try:
            scope = self._admission.meet(scope)
        except RefusedError as refused:
            await self._refuse(refused, scope, receive, self._secured(scope, send))
            return
        send = self._secured(scope, send)
        try:
            caller, receive = await self._admission.admit(scope, receive)
        except RefusedError as refused:
            await self._refuse(refused, scope, receive, send)
            return
        scope["state"]["principal"], scope["state"]["session"] = caller.principal, caller.session
        await self._app(scope, receive, send)

    def _secured(self, scope: Scope, send: Send) -> Send:
        return secured(scope, send, is_secure=self._is_secure)

    async def _refuse(self, refused: RefusedError, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": close_code(refused)})
            return
        self._on_refused(scope["method"], scope["path"], refused.status)
        await self._answers.of(scope, refused)(scope, receive, send)
