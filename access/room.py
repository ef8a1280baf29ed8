"""Gate and administration of one process, sharing passwords and throttle."""

from collections.abc import Callable
from dataclasses import dataclass

from access.administration import AccessAdministration
from access.gate import AccessGate
from access.passwords import Hasher, Passwords
from access.settings import AccessSettings
from access.throttle import Throttle
from store.control.access_book import SqlAccessBook


@dataclass(frozen=True, slots=True)
class AccessRoom:
    """What the rest of the process is given."""

    gate: AccessGate
    administration: AccessAdministration


def open_room(
    book: SqlAccessBook, clock_ns: Callable[[], int], settings: AccessSettings, hasher: Hasher | None = None
) -> AccessRoom:
    """The room of a server process; takes the time of one password hash.

    hasher  argon2id with the library's parameters when None
    """
    passwords = Passwords(hasher)
    throttle = Throttle(settings.throttle, clock_ns)
    return AccessRoom(
        AccessGate(book, passwords, throttle, clock_ns, settings),
        AccessAdministration(book, passwords, throttle, clock_ns),
    )


def administration_of(
    book: SqlAccessBook, clock_ns: Callable[[], int], settings: AccessSettings, hasher: Hasher | None = None
) -> AccessAdministration:
    """The administration alone, for commands that let nobody in."""
    return AccessAdministration(book, Passwords(hasher), Throttle(settings.throttle, clock_ns), clock_ns)
