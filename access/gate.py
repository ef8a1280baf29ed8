"""The gate: by token, by session, by password, by an identity provider's word."""

import secrets
from collections.abc import Callable

from access.contract import Identity, LogInRefusedError, OpenSession
from access.external import remembered
from access.last_use import LastUse
from access.names import local_name
from access.passwords import Passwords
from access.settings import AccessSettings
from access.throttle import Throttle
from access.token_text import digest_of, is_same, is_secret, new_secret, parsed_token
from store.control.access_book import SqlAccessBook
from store.control.access_records import StoredSession, StoredUser, TokenState
from vocabulary.access import Principal, PrincipalKind
from vocabulary.errors import PeaklineError
from vocabulary.pools import SECOND_NS

WRONG = "The name or the password is wrong, or the account may not log in."
NOT_LET_IN = "This account may not log in here; an administrator of Peakline can say why."
_SEEN_EVERY_NS = 60 * SECOND_NS
_NO_DIGEST = "0" * 64


class AccessGate:
    """Lets callers in; see `access.contract.Gate`. Thread-safe. Every question goes to the database: nothing is stale.

    passwords, throttle  shared with the administration, so that both together keep to the limits of one process
    """

    def __init__(
        self,
        book: SqlAccessBook,
        passwords: Passwords,
        throttle: Throttle,
        clock_ns: Callable[[], int],
        settings: AccessSettings,
    ) -> None:
        self._book = book
        self._passwords = passwords
        self._throttle = throttle
        self._clock_ns = clock_ns
        self._settings = settings
        self._idle_ns = settings.session_idle_s * SECOND_NS
        self._token_uses = LastUse(_SEEN_EVERY_NS, book.tokens.mark_used)
        self._session_uses = LastUse(min(_SEEN_EVERY_NS, self._idle_ns // 4), book.sessions.mark_seen)
        # Who does not exist is verified against this, so that the answer takes as long as for who does.
        self._nobody = passwords.hashed(secrets.token_urlsafe())

    def by_token(self, text: str) -> Principal | None:
        """The principal of an API token; None when it is malformed, unknown, expired or revoked."""
        halves = parsed_token(text)
        if halves is None:
            return None
        token_id, secret = halves
        now_ns = self._clock_ns()
        found = self._book.tokens.found(token_id)
        is_right = is_same(digest_of(secret), _NO_DIGEST if found is None else found[1])
        if found is None or not is_right:
            return None
        token = found[0]
        if token.state(now_ns) is not TokenState.ACTIVE:
            return None
        self._token_uses.note(token.id, token.last_used_ns, now_ns)
        return Principal(PrincipalKind.TOKEN, token.id, token.name, token.role, token.tenants)

    def by_session(self, cookie: str) -> OpenSession | None:
        """The session of a cookie; None when it is unknown, ended, idle for too long, or its user is disabled."""
        found = self._book.sessions.found(digest_of(cookie)) if is_secret(cookie) else None
        if found is None:
            return None
        session, user = found
        now_ns = self._clock_ns()
        if user.is_disabled or session.expires_ns <= now_ns or session.seen_ns + self._idle_ns <= now_ns:
            return None
        self._session_uses.note(session.digest, session.seen_ns, now_ns)
        return _opened(session, user, "", now_ns)

    def log_in(self, name: str, password: str, address: str, old_cookie: str = "") -> OpenSession:
        """Open a new session for a local user; an old session of the same browser ends.

        raises  LogInRefusedError
        """
        known = local_name(name)
        attempt = self._throttle.enter(known or "", address)
        try:
            opened = self._judged(known, password, old_cookie)
        except PeaklineError:
            self._throttle.take_back(attempt)
            raise
        if opened is None:
            raise LogInRefusedError(WRONG)
        self._throttle.succeed(attempt)
        return opened

    def log_in_external(self, identity: Identity, address: str, old_cookie: str = "") -> OpenSession:  # noqa: ARG002 - the provider has judged the attempt, and limits them
        """Open a session for somebody that a provider vouches for; remembers role and tenants as they are now.

        raises  LogInRefusedError
        """
        user = remembered(self._book.users, identity, self._clock_ns())
        opened = None if user is None else self._open(user, None, old_cookie)
        if opened is None:
            raise LogInRefusedError(NOT_LET_IN)
        return opened

    def log_out(self, cookie: str) -> None:
        """End the session; an unknown cookie is no error."""
        if is_secret(cookie):
            self._book.sessions.end(digest_of(cookie))

    def _judged(self, name: str | None, password: str, old_cookie: str) -> OpenSession | None:
        """A session, or None: unknown, wrong and disabled look the same and cost one verification each."""
        user, hashed = (self._book.users.local(name) if name else None) or (None, None)
        is_right = self._passwords.is_right(password, hashed or self._nobody)
        if user is None or hashed is None or user.is_disabled or not is_right:
            return None
        if self._passwords.is_outdated(hashed):
            stronger = self._passwords.hashed(password)
            hashed = stronger if self._book.users.rehash(user.id, hashed, stronger) else hashed
        return self._open(user, hashed, old_cookie)

    def _open(self, user: StoredUser, hashed: str | None, old_cookie: str) -> OpenSession | None:
        now_ns = self._clock_ns()
        cookie = new_secret()
        expires_ns = now_ns + self._settings.session_lifetime_s * SECOND_NS
        session = StoredSession(digest_of(cookie), user.id, new_secret(), now_ns, now_ns, expires_ns)
        old_digest = digest_of(old_cookie) if is_secret(old_cookie) else ""
        self._book.sessions.remove_ended(now_ns, self._idle_ns)
        is_open = self._book.sessions.open(session, hashed, old_digest, self._settings.sessions_max)
        return _opened(session, user, cookie, now_ns) if is_open else None


def _opened(session: StoredSession, user: StoredUser, cookie: str, now_ns: int) -> OpenSession:
    principal = Principal(PrincipalKind.USER, user.id, user.name, user.role, user.tenants)
    return OpenSession(principal, cookie, session.csrf, max(0, session.expires_ns - now_ns) // SECOND_NS)
