"""Tokens and users in memory, for the routes that change them; the real ones have tests of their own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from store.control.access_records import StoredToken, StoredUser, UserKind
from vocabulary.access import Role
from vocabulary.errors import PeaklineError

AT_NS = 1_760_000_000_000_000_000


class TooManyAttemptsError(PeaklineError):
    """As log-ins are refused."""

    retry_after_s = 42


@dataclass
class Registry:
    """Remembers what it was told, and by whom."""

    all_tokens: list[StoredToken] = field(default_factory=list)
    all_users: list[StoredUser] = field(default_factory=list)
    passwords: dict[str, str] = field(default_factory=dict)
    attempts_left: int = 3
    told: list[tuple[str, str]] = field(default_factory=list)

    def tokens(self) -> Sequence[StoredToken]:
        return self.all_tokens

    def create_token(
        self, name: str, role: Role, tenants: frozenset[str] | None, expires_ns: int | None, by: str
    ) -> tuple[StoredToken, str]:
        self.told.append(("create_token", by))
        made = StoredToken(f"t{len(self.all_tokens)}", name, role, tenants, AT_NS, by, expires_ns)
        self.all_tokens.insert(0, made)
        return made, "pkl_text"

    def revoke_token(self, token_id: str, by: str) -> StoredToken:
        self.told.append(("revoke_token", by))
        [at] = [at for at, token in enumerate(self.all_tokens) if token.id == token_id]
        self.all_tokens[at] = replace(self.all_tokens[at], revoked_ns=AT_NS)
        return self.all_tokens[at]

    def users(self) -> Sequence[StoredUser]:
        return self.all_users

    def create_user(self, name: str, role: Role, tenants: frozenset[str] | None, password: str, by: str) -> StoredUser:
        self.told.append(("create_user", by))
        if any(user.name == name for user in self.all_users):
            raise PeaklineError(f"The name {name} is taken.")
        made = StoredUser(f"u-{name}", name, UserKind.LOCAL, role, tenants, AT_NS, by)
        self.all_users.append(made)
        self.passwords[made.id] = password
        return made

    def change_user(
        self,
        user_id: str,
        by: str,
        *,
        role: Role | None = None,
        tenants: Mapping[str, frozenset[str] | None] | None = None,
        is_disabled: bool | None = None,
    ) -> StoredUser:
        self.told.append(("change_user", by))
        [at] = [at for at, user in enumerate(self.all_users) if user.id == user_id]
        user = self.all_users[at]
        self.all_users[at] = replace(
            user,
            role=role or user.role,
            tenants=user.tenants if tenants is None else tenants["tenants"],
            is_disabled=user.is_disabled if is_disabled is None else is_disabled,
        )
        return self.all_users[at]

    def set_password(self, user_id: str, password: str, by: str) -> None:
        self.told.append(("set_password", by))
        self.passwords[user_id] = password

    def change_own_password(self, user_id: str, old: str, new: str, address: str) -> None:
        self.told.append(("change_own_password", address))
        self.attempts_left -= 1
        if self.attempts_left < 0:
            raise TooManyAttemptsError("Too many attempts; try again in 42 s.")
        if self.passwords[user_id] != old:
            raise PeaklineError("The old password is not right.")
        self.passwords[user_id] = new

    def delete_user(self, user_id: str, by: str) -> None:
        self.told.append(("delete_user", by))
        self.all_users = [user for user in self.all_users if user.id != user_id]
