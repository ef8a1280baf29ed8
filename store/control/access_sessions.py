"""The book of open sessions; cookies are in it by digest only."""

from dataclasses import asdict, fields

from sqlalchemy import Connection, Engine, bindparam, delete, insert, or_, select, update

from store.control.access_records import StoredSession, StoredUser
from store.control.access_rows import access_transaction, user_of
from store.control.tables import access_sessions as sessions
from store.control.tables import access_users as users

_NAMES = [field.name for field in fields(StoredSession)]
# Built once: it runs at every request. Columns of both tables share names, so those of the session are marked.
_FOUND = (
    select(*(sessions.c[name].label(f"session_{name}") for name in _NAMES), users)
    .join(users, users.c.id == sessions.c.user_id)
    .where(sessions.c.digest == bindparam("digest"))
)


class SessionBook:
    """Sessions on the control engine. Thread-safe as the engine is.

    raises  StoreUnavailableError when nothing can be read or written now
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def found(self, digest: str) -> tuple[StoredSession, StoredUser] | None:
        """A session and whose it is, at its end or not; None when there is none."""
        with access_transaction(self._engine) as connection:
            row = connection.execute(_FOUND, {"digest": digest}).mappings().one_or_none()
        if row is None:
            return None
        return StoredSession(**{name: row[f"session_{name}"] for name in _NAMES}), user_of(row)

    def open(self, session: StoredSession, password_hash: str | None, old_digest: str, open_max: int) -> bool:
        """Keep a new session and the time of the log-in, and end the browser's old one; all or nothing.

        password_hash  what the password was judged by, None for users of identity providers
        old_digest     of the cookie that the browser had before, '' for none
        open_max       most sessions of one user; the oldest end
        returns        False, and nothing is changed, when the user was disabled, removed or given another password
                       meanwhile
        """
        is_same = users.c.password_hash.is_(None) if password_hash is None else users.c.password_hash == password_hash
        may_open = (users.c.id == session.user_id, users.c.is_disabled.is_(False), is_same)
        with access_transaction(self._engine) as connection:
            # This locks the user, so no change to them can fall between the look and the new session.
            kept = connection.execute(update(users).where(*may_open).values(last_login_ns=session.created_ns))
            if kept.rowcount != 1:
                return False
            connection.execute(insert(sessions).values(asdict(session)))
            connection.execute(delete(sessions).where(sessions.c.digest == old_digest))
            _end_oldest(connection, session, open_max)
        return True

    def end(self, digest: str) -> None:
        """End a session; no error where there is none."""
        with access_transaction(self._engine) as connection:
            connection.execute(delete(sessions).where(sessions.c.digest == digest))

    def mark_seen(self, digest: str, at_ns: int) -> None:
        """Remember a request, unless a later one is known."""
        with access_transaction(self._engine) as connection:
            this = update(sessions).where(sessions.c.digest == digest, sessions.c.seen_ns < at_ns)
            connection.execute(this.values(seen_ns=at_ns))

    def remove_ended(self, now_ns: int, idle_ns: int) -> None:
        """Remove what nobody can use any more: past its end, or without a request for `idle_ns`."""
        is_ended = or_(sessions.c.expires_ns <= now_ns, sessions.c.seen_ns <= now_ns - idle_ns)
        with access_transaction(self._engine) as connection:
            connection.execute(delete(sessions).where(is_ended))


def end_sessions_of(connection: Connection, user_id: str) -> None:
    """End all sessions of a user within a transaction."""
    connection.execute(delete(sessions).where(sessions.c.user_id == user_id))


def _end_oldest(connection: Connection, new: StoredSession, open_max: int) -> None:
    others = (sessions.c.user_id == new.user_id, sessions.c.digest != new.digest)
    newest_first = (sessions.c.created_ns.desc(), sessions.c.digest)
    kept = select(sessions.c.digest).where(*others).order_by(*newest_first).limit(open_max - 1)
    connection.execute(delete(sessions).where(*others, sessions.c.digest.not_in(kept)))
