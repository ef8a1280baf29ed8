"""The book of users. Whatever changes what a user may do ends their sessions in the same transaction."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from enum import Enum

from sqlalchemy import ColumnElement, Connection, Engine, and_, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from store.control.access_records import StoredUser, UserKind
from store.control.access_rows import access_transaction, packed, user_of
from store.control.access_sessions import end_sessions_of
from store.control.tables import access_users as users
from vocabulary.access import Role


class NotChanged(Enum):
    """Why a user stays as they are."""

    UNKNOWN = "no user has the id"
    LAST_ADMIN = "nobody would be left who may administer"


@dataclass(frozen=True, slots=True)
class UserState:
    """What administration can change about a user."""

    role: Role
    tenants: frozenset[str] | None
    is_disabled: bool


class UserBook:
    """Users on the control engine. Thread-safe as the engine is.

    raises  StoreUnavailableError when nothing can be read or written now
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def all(self) -> Sequence[StoredUser]:
        """All users by name."""
        with access_transaction(self._engine) as connection:
            return [user_of(row) for row in connection.execute(select(users).order_by(users.c.name)).mappings()]

    def by_id(self, user_id: str) -> tuple[StoredUser, str | None] | None:
        """A user and the hash of their password (None where a provider keeps it); None when there is none."""
        return self._one(users.c.id == user_id)

    def local(self, name: str) -> tuple[StoredUser, str | None] | None:
        """The local user of a name, as `by_id`."""
        return self._one(and_(users.c.kind == UserKind.LOCAL, users.c.name == name))

    def external(self, issuer: str, subject: str) -> StoredUser | None:
        """The user whom an identity provider knows by an id."""
        found = self._one(
            and_(users.c.kind == UserKind.OIDC, users.c.issuer == issuer, users.c.subject == subject),
        )
        return None if found is None else found[0]

    def _one(self, condition: ColumnElement[bool]) -> tuple[StoredUser, str | None] | None:
        with access_transaction(self._engine) as connection:
            row = connection.execute(select(users).where(condition)).mappings().one_or_none()
        return None if row is None else (user_of(row), row["password_hash"])

    def add(self, user: StoredUser, password_hash: str | None) -> bool:
        """Keep a new user. False, and nothing is changed, when the name or the provider's id is taken."""
        row = asdict(user)
        row |= {"tenants": packed(user.tenants), "password_hash": password_hash}
        row |= {"changed_ns": user.created_ns, "changed_by": user.created_by}
        try:
            with access_transaction(self._engine) as connection:
                connection.execute(insert(users).values(row))
        except IntegrityError:
            return False
        return True

    def change(self, user_id: str, state: UserState, at_ns: int, by: str) -> StoredUser | NotChanged:
        """Change what a user may do; their sessions end."""
        with access_transaction(self._engine) as connection:
            _lock_admins(connection)
            before = _locked(connection, user_id)
            if before is None:
                return NotChanged.UNKNOWN
            after = replace(before, role=state.role, tenants=state.tenants, is_disabled=state.is_disabled)
            if _administers(before) and not _administers(after) and not _others_administer(connection, user_id):
                return NotChanged.LAST_ADMIN
            values = {**asdict(state), "tenants": packed(state.tenants), "changed_ns": at_ns, "changed_by": by}
            connection.execute(update(users).where(users.c.id == user_id).values(values))
            end_sessions_of(connection, user_id)
        return after

    def delete(self, user_id: str) -> NotChanged | None:
        """Remove a user and their sessions; None when it is done."""
        with access_transaction(self._engine) as connection:
            _lock_admins(connection)
            before = _locked(connection, user_id)
            if before is None:
                return NotChanged.UNKNOWN
            if _administers(before) and not _others_administer(connection, user_id):
                return NotChanged.LAST_ADMIN
            end_sessions_of(connection, user_id)
            connection.execute(delete(users).where(users.c.id == user_id))
        return None

    def set_password(self, user_id: str, new: str, at_ns: int, by: str, old: str | None = None) -> bool:
        """Replace the hash of a local user's password; their sessions end.

        old      the hash that must still be there, None for any
        returns  False, and nothing is changed, when there is no such local user
        """
        this = [users.c.id == user_id, users.c.kind == UserKind.LOCAL]
        if old is not None:
            this.append(users.c.password_hash == old)
        with access_transaction(self._engine) as connection:
            values = {"password_hash": new, "changed_ns": at_ns, "changed_by": by}
            is_done = connection.execute(update(users).where(*this).values(values)).rowcount == 1
            if is_done:
                end_sessions_of(connection, user_id)
        return is_done

    def rehash(self, user_id: str, old: str, new: str) -> bool:
        """Replace the hash of the same password by a stronger one; sessions stay. False when `old` has gone."""
        with access_transaction(self._engine) as connection:
            this = update(users).where(users.c.id == user_id, users.c.password_hash == old)
            return connection.execute(this.values(password_hash=new)).rowcount == 1

    def refresh(self, user: StoredUser) -> bool:
        """Name, role and tenants as the identity provider tells them now; sessions end where role or tenants differ.

        returns  False, and nothing is changed, when the name is taken
        """
        values = {"name": user.name, "role": user.role, "tenants": packed(user.tenants)}
        try:
            with access_transaction(self._engine) as connection:
                before = _locked(connection, user.id)
                connection.execute(update(users).where(users.c.id == user.id).values(values))
                if before is not None and (before.role, before.tenants) != (user.role, user.tenants):
                    end_sessions_of(connection, user.id)
        except IntegrityError:
            return False
        return True


_ADMINS = and_(users.c.role == Role.ADMIN, users.c.is_disabled.is_(False), users.c.tenants.is_(None))


def _administers(user: StoredUser) -> bool:
    """As _ADMINS says it in SQL: an admin who is limited to tenants may not change settings of all."""
    return user.role is Role.ADMIN and not user.is_disabled and user.tenants is None


def _lock_admins(connection: Connection) -> None:
    """Two people who demote one another at once must not both succeed: the second waits here and looks again."""
    connection.execute(update(users).where(_ADMINS).values(role=users.c.role))


def _locked(connection: Connection, user_id: str) -> StoredUser | None:
    """The user as nobody can change them until this transaction ends."""
    this = users.c.id == user_id
    connection.execute(update(users).where(this).values(role=users.c.role))
    row = connection.execute(select(users).where(this)).mappings().one_or_none()
    return None if row is None else user_of(row)


def _others_administer(connection: Connection, user_id: str) -> bool:
    others = select(func.count()).select_from(users).where(_ADMINS, users.c.id != user_id)
    return connection.execute(others).scalar_one() > 0
