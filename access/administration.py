"""The administration of tokens and users: what is allowed, and in which words it is refused."""

import secrets
from collections.abc import Callable, Mapping, Sequence

from access.contract import AccessError, LogInRefusedError
from access.names import NAME_LENGTH_MAX, local_name, token_label
from access.passwords import Passwords, check_password
from access.scope import check_scope
from access.throttle import Throttle
from access.token_text import digest_of, new_token, token_text
from store.control.access_book import SqlAccessBook
from store.control.access_records import StoredToken, StoredUser, UserKind
from store.control.access_users import NotChanged, UserState
from vocabulary.access import Role
from vocabulary.errors import PeaklineError

_LAST_ADMIN = "{name} is the last admin who can log in; make another admin first (`peakline users create`)."
_WRONG_OLD = "The old password is wrong."


class AccessAdministration:
    """Changes tokens and users; what the API asks of it is in `api.house.AccessAdministration`. Thread-safe.

    passwords, throttle  shared with the gate, so that both together keep to the limits of one process
    """

    def __init__(
        self, book: SqlAccessBook, passwords: Passwords, throttle: Throttle, clock_ns: Callable[[], int]
    ) -> None:
        self._book = book
        self._passwords = passwords
        self._throttle = throttle
        self._clock_ns = clock_ns

    def tokens(self) -> Sequence[StoredToken]:
        """All tokens, newest first, ended ones included."""
        return self._book.tokens.all()

    def create_token(
        self, name: str, role: Role, tenants: frozenset[str] | None, expires_ns: int | None, by: str
    ) -> tuple[StoredToken, str]:
        """A new token and its text, which is told this once.

        raises  AccessError
        """
        check_scope(role, tenants)
        now_ns = self._clock_ns()
        if expires_ns is not None and expires_ns <= now_ns:
            raise AccessError("The token would have expired already; name an end in the future, or none.")
        token_id, secret = new_token()
        token = StoredToken(token_id, token_label(name), role, tenants, now_ns, by, expires_ns)
        self._book.tokens.add(token, digest_of(secret))
        return token, token_text(token_id, secret)

    def revoke_token(self, token_id: str, by: str) -> StoredToken:
        """End a token at once. Revoking twice is no error.

        raises  AccessError when no token has the id
        """
        revoked = self._book.tokens.revoke(token_id, self._clock_ns(), by)
        if revoked is None:
            raise AccessError(f"No token has the id {token_id[:12]!r}.")
        return revoked

    def users(self) -> Sequence[StoredUser]:
        """All users by name."""
        return self._book.users.all()

    def create_user(self, name: str, role: Role, tenants: frozenset[str] | None, password: str, by: str) -> StoredUser:
        """A new local user.

        raises  AccessError
        """
        usable = local_name(name)
        if usable is None:
            message = f"A user's name has 1 to {NAME_LENGTH_MAX} letters, digits and . _ - @; {name[:40]!r} has not."
            raise AccessError(message)
        check_scope(role, tenants)
        check_password(password, usable)
        user = StoredUser(secrets.token_hex(8), usable, UserKind.LOCAL, role, tenants, self._clock_ns(), by)
        if not self._book.users.add(user, self._passwords.hashed(password)):
            raise AccessError(f"There is a user {usable} already.")
        return user

    def change_user(
        self,
        user_id: str,
        by: str,
        *,
        role: Role | None = None,
        tenants: Mapping[str, frozenset[str] | None] | None = None,
        is_disabled: bool | None = None,
    ) -> StoredUser:
        """Change what is given; open sessions of the user end.

        raises  AccessError
        """
        user, _ = self._found(user_id)
        if user.kind is UserKind.OIDC and (role is not None or tenants is not None):
            message = f"The identity provider says which role and tenants {user.name} has; change them there."
            raise AccessError(message)
        state = UserState(
            role=user.role if role is None else role,
            tenants=user.tenants if tenants is None else tenants["tenants"],
            is_disabled=user.is_disabled if is_disabled is None else is_disabled,
        )
        check_scope(state.role, state.tenants)
        changed = self._book.users.change(user_id, state, self._clock_ns(), by)
        if isinstance(changed, NotChanged):
            raise _refusal(changed, user)
        return changed

    def set_password(self, user_id: str, password: str, by: str) -> None:
        """A new password; open sessions of the user end.

        raises  AccessError
        """
        user, _ = self._found(user_id)
        _check_local(user)
        check_password(password, user.name)
        if not self._book.users.set_password(user_id, self._passwords.hashed(password), self._clock_ns(), by):
            raise _refusal(NotChanged.UNKNOWN, user)

    def change_own_password(self, user_id: str, old: str, new: str, address: str) -> None:
        """As `set_password`, by somebody who knows the old one; counts as a log-in attempt.

        raises  AccessError, LogInRefusedError
        """
        user, hashed = self._found(user_id)
        _check_local(user)
        check_password(new, user.name)
        attempt = self._throttle.enter(user.name, address)
        try:
            is_right = hashed is not None and self._passwords.is_right(old, hashed) and not user.is_disabled
            is_done = is_right and self._book.users.set_password(
                user_id, self._passwords.hashed(new), self._clock_ns(), user.name, old=hashed
            )
        except PeaklineError:
            self._throttle.take_back(attempt)
            raise
        if not is_done:
            raise LogInRefusedError(_WRONG_OLD)
        self._throttle.succeed(attempt)

    def delete_user(self, user_id: str, by: str) -> None:  # noqa: ARG002 - the contract's; who is gone has no row to note it in
        """Remove a user and their sessions.

        raises  AccessError
        """
        user, _ = self._found(user_id)
        refused = self._book.users.delete(user_id)
        if refused is not None:
            raise _refusal(refused, user)

    def _found(self, user_id: str) -> tuple[StoredUser, str | None]:
        found = self._book.users.by_id(user_id)
        if found is None:
            raise AccessError(f"No user has the id {user_id[:40]!r}.")
        return found


def _check_local(user: StoredUser) -> None:
    if user.kind is not UserKind.LOCAL:
        raise AccessError(f"The identity provider keeps the password of {user.name}; change it there.")


def _refusal(reason: NotChanged, user: StoredUser) -> AccessError:
    if reason is NotChanged.LAST_ADMIN:
        return AccessError(_LAST_ADMIN.format(name=user.name))
    return AccessError(f"The user {user.name} was removed meanwhile.")
