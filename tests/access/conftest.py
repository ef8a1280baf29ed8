"""A room over a real control store, with cheap argon2 that is counted."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from argon2 import PasswordHasher

from access.contract import Identity
from access.room import AccessRoom, open_room
from access.settings import AccessSettings
from store.control.access_book import SqlAccessBook
from store.control.access_records import StoredUser
from store.control.open import Control
from tests.conftest import CountingClock
from vocabulary.access import Role

PASSWORD = "correct horse battery"
ADDRESS = "192.0.2.1"


def an_identity(
    name: str = "Ann",
    role: Role | None = Role.VIEWER,
    tenants: frozenset[str] | None = None,
    subject: str = "",
    issuer: str = "https://idp.example",
) -> Identity:
    return Identity(issuer, subject or f"subject of {name}", name, role, tenants)


class CountingHasher:
    """argon2id with the least parameters; counts what it is asked."""

    def __init__(self, time_cost: int = 1) -> None:
        self._hasher = PasswordHasher(time_cost=time_cost, memory_cost=8, parallelism=1)
        self._lock = threading.Lock()
        self.hashed = 0
        self.verified = 0

    def hash(self, password: str, /) -> str:
        with self._lock:
            self.hashed += 1
        return self._hasher.hash(password)

    def verify(self, hash: str, password: str, /) -> bool:  # noqa: A002 - argon2's own name
        with self._lock:
            self.verified += 1
        return self._hasher.verify(hash, password)

    def check_needs_rehash(self, hash: str, /) -> bool:  # noqa: A002 - argon2's own name
        return self._hasher.check_needs_rehash(hash)


@dataclass
class World:
    """A room, and what it stands on."""

    room: AccessRoom
    book: SqlAccessBook
    clock: CountingClock
    hasher: CountingHasher

    def user(self, name: str = "ann", role: Role = Role.ADMIN, tenants: frozenset[str] | None = None) -> StoredUser:
        """A new local user whose password is PASSWORD."""
        return self.room.administration.create_user(name, role, tenants, PASSWORD, "test")

    def log_in(self, name: str = "ann", old_cookie: str = "") -> str:
        """The cookie of a new session."""
        return self.room.gate.log_in(name, PASSWORD, ADDRESS, old_cookie).cookie

    def is_in(self, cookie: str) -> bool:
        """Whether a cookie opens the gate."""
        return self.room.gate.by_session(cookie) is not None

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.clock.at_ns += int(seconds * 1e9)


@pytest.fixture
def build(clock: CountingClock) -> Callable[..., World]:
    """Rooms, as many as wanted, over control stores."""

    def of(control: Control, settings: AccessSettings | None = None, hasher: CountingHasher | None = None) -> World:
        book, counting = SqlAccessBook(control.engine), hasher or CountingHasher()
        return World(open_room(book, clock, settings or AccessSettings(), counting), book, clock, counting)

    return of


@pytest.fixture
def world(build: Callable[..., World], control: Control) -> World:
    return build(control)
