"""What the access books share: their transaction, and rows as records."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, RowMapping
from sqlalchemy.exc import InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionError

from store.control.access_records import StoredToken, StoredUser, UserKind
from vocabulary.access import Role
from vocabulary.errors import StoreUnavailableError

UNUSABLE = (OperationalError, InterfaceError, InternalError, NoConnectionError)
"""Driver errors that pass: locked, gone, full, read-only, no free connection."""


@contextmanager
def access_transaction(engine: Engine) -> Iterator[Connection]:
    """One transaction. Its first statement must be a write if it writes at all.

    SQLite refuses to turn a read transaction into a write transaction while somebody else writes, and a lock that is
    taken first makes what is read afterwards current on PostgreSQL too.

    raises  StoreUnavailableError; it names no host and no file, for the sentence may reach people without a log-in.
            The driver's words are in its cause.
    """
    try:
        with engine.begin() as connection:
            yield connection
    except UNUSABLE as fault:
        message = "The control database cannot be used now, so nobody can be let in; try again in a moment."
        raise StoreUnavailableError(message) from fault


def packed(tenants: frozenset[str] | None) -> str | None:
    """Tenants as they are stored."""
    return None if tenants is None else json.dumps(sorted(tenants), ensure_ascii=False)


def _unpacked(text: str | None) -> frozenset[str] | None:
    return None if text is None else frozenset(json.loads(text))


def token_of(row: RowMapping) -> StoredToken:
    """A token from a row that has a column for each of its fields."""
    return StoredToken(
        id=row["id"],
        name=row["name"],
        role=Role(row["role"]),
        tenants=_unpacked(row["tenants"]),
        created_ns=row["created_ns"],
        created_by=row["created_by"],
        expires_ns=row["expires_ns"],
        revoked_ns=row["revoked_ns"],
        last_used_ns=row["last_used_ns"],
    )


def user_of(row: RowMapping) -> StoredUser:
    """A user from a row that has a column for each of its fields."""
    return StoredUser(
        id=row["id"],
        name=row["name"],
        kind=UserKind(row["kind"]),
        role=Role(row["role"]),
        tenants=_unpacked(row["tenants"]),
        created_ns=row["created_ns"],
        created_by=row["created_by"],
        issuer=row["issuer"],
        subject=row["subject"],
        is_disabled=row["is_disabled"],
        last_login_ns=row["last_login_ns"],
    )
