"""Whether a request gets in: the one place that decides it, in a fixed order."""

from dataclasses import dataclass, field
from hmac import compare_digest

from starlette.types import Receive, Scope

from access.contract import Gate, OpenSession
from access.web import hosts
from access.web.cookies import Cookie, cookie_name, cookie_value
from access.web.form import BadFormError, is_form, read_form, replay
from access.web.gate_calls import GateThreads
from access.web.header_values import are_bounded, single, values
from access.web.proxies import Proxies
from access.web.refusal import Reason, RefusedError
from access.web.rulebook import WEBSOCKET, RuleBook
from access.web.settings import WebSettings
from vocabulary.access import ANONYMOUS, Objection, Principal, PrincipalKind, Rule
from vocabulary.errors import StoreUnavailableError

CSRF_HEADER = b"x-csrf-token"
CSRF_FIELD = "csrf"
TOKEN_TEXT_MAX = 200
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_CHECK_THEIR_OWN_CSRF = frozenset({"/login"})
"""Log-in has no session to compare with; its form carries what the browser's own cookie carries."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sends a request; nobody without a principal. A session only where it came by a cookie."""

    principal: Principal | None = None
    session: OpenSession | None = None

    @property
    def csrf(self) -> str:
        """What unsafe requests must carry, '' without a session."""
        return self.session.csrf if self.session else ""


@dataclass(frozen=True, slots=True)
class Admission:
    """Asks who a caller is and what the rule of the path wants.

    gate  None while access is off
    raises  ValueError when there is a gate although access is off, or none although it is on
    """

    gate: Gate | None
    rules: RuleBook
    settings: WebSettings
    threads: GateThreads = field(default_factory=GateThreads)

    def __post_init__(self) -> None:
        if self.settings.is_on != (self.gate is not None):
            raise ValueError("access is on exactly when there is a gate")

    def meet(self, scope: Scope) -> Scope:
        """The request as its client sent it, if the server answers under that name and to that peer.

        raises  RefusedError
        """
        if not are_bounded(scope) or len(values(scope, b"host")) > 1:
            raise RefusedError(Reason.UNREADABLE)
        if not self.settings.is_on:
            if hosts.is_forwarded(scope):
                raise RefusedError(Reason.FORWARDED)
            if not hosts.is_from_this_machine(scope):
                raise RefusedError(Reason.NOT_LOCAL)
            return scope
        seen = Proxies(self.settings.trusted_proxies).behind(scope)
        if not hosts.is_known_host(seen, self.settings):
            raise RefusedError(Reason.UNKNOWN_HOST)
        return seen

    async def admit(self, scope: Scope, receive: Receive) -> tuple[Caller, Receive]:
        """Who sends it, and the body to read from here on.

        raises  RefusedError
        """
        method = scope["method"] if scope["type"] == "http" else WEBSOCKET
        rule = self.rules.find(method, scope["path"])
        caller = await self._caller(scope, rule)
        if method not in _SAFE_METHODS:
            receive = await self._check_intent(scope, receive, caller)
        if rule is None:
            raise RefusedError(Reason.NO_RULE, caller.principal, csrf=caller.csrf)
        _check_permission(rule, caller)
        return caller, receive

    async def _caller(self, scope: Scope, rule: Rule | None) -> Caller:
        """Whoever the credentials name; on public paths bad ones are as good as none."""
        if self.gate is None:
            return Caller(ANONYMOUS)
        try:
            caller = await self._known(self.gate, scope)
        except RefusedError:
            if rule is None or not rule.is_public:
                raise
            return Caller()
        if caller.principal is None and not (rule is not None and rule.is_public):
            raise RefusedError(Reason.NO_CREDENTIALS)
        return caller

    async def _known(self, gate: Gate, scope: Scope) -> Caller:
        """By the token if there is one, and only then by the cookie: a bad token does not fall back to it."""
        try:
            if sent := values(scope, b"authorization"):
                principal = await self._by_token(gate, sent)
                if principal is None:
                    raise RefusedError(Reason.BAD_TOKEN)
                return Caller(principal)
            cookie = cookie_value(scope, cookie_name(Cookie.SESSION, is_secure=self.settings.is_secure))
            if not cookie:
                return Caller()
            session = await self.threads.look_up(lambda: gate.by_session(cookie))
        except StoreUnavailableError as problem:
            raise RefusedError(Reason.STORE) from problem
        if session is None:
            raise RefusedError(Reason.SESSION_ENDED)
        return Caller(session.principal, session)

    async def _by_token(self, gate: Gate, sent: list[str]) -> Principal | None:
        scheme, _, text = sent[0].partition(" ")
        text = text.strip()
        if len(sent) > 1 or scheme.lower() != "bearer" or not text or len(text) > TOKEN_TEXT_MAX:
            return None
        return await self.threads.look_up(lambda: gate.by_token(text))

    async def _check_intent(self, scope: Scope, receive: Receive, caller: Caller) -> Receive:
        """Whether the caller means it, or a page elsewhere sent it with the caller's cookie.

        A token is never added by a browser on its own, so requests with one are not asked.
        """
        if caller.principal is not None and caller.principal.kind is PrincipalKind.TOKEN:
            return receive
        if hosts.is_foreign(scope, self.settings):
            raise RefusedError(Reason.FOREIGN_ORIGIN, caller.principal, csrf=caller.csrf)
        if caller.session is None or scope["type"] == "websocket" or scope["path"] in _CHECK_THEIR_OWN_CSRF:
            return receive
        sent = single(scope, CSRF_HEADER)
        if not sent and is_form(scope):
            sent, receive = await _csrf_field(scope, receive)
        if not compare_digest(sent.encode(), caller.csrf.encode()):
            raise RefusedError(Reason.NO_CSRF, caller.principal, csrf=caller.csrf)
        return receive


async def _csrf_field(scope: Scope, receive: Receive) -> tuple[str, Receive]:
    try:
        form = await read_form(scope, receive)
    except BadFormError:
        return "", receive
    return form[CSRF_FIELD], replay(form, receive)


def _check_permission(rule: Rule, caller: Caller) -> None:
    objection = None if caller.principal is None else rule.objection(caller.principal)
    if objection is Objection.PERMISSION:
        raise RefusedError(Reason.NO_PERMISSION, caller.principal, rule.needs, caller.csrf)
    if objection is Objection.WHOLE_FLEET:
        raise RefusedError(Reason.WHOLE_FLEET, caller.principal, csrf=caller.csrf)
