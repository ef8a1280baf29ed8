"""Passwords: argon2id, few at once, and the rules for new ones."""

import threading
import unicodedata
from functools import cache
from pathlib import Path
from typing import Protocol

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from access.contract import AccessError, LogInRefusedError

LENGTH_MIN = 12
LENGTH_MAX = 1024
AT_ONCE = 2
"""Each computation takes 64 MiB and some 100 ms of several cores."""
WAITING_MAX = 8
RETRY_AFTER_S = 2
_WELL_KNOWN = Path(__file__).with_name("well_known_passwords.txt")


class Hasher(Protocol):
    """What is used of `argon2.PasswordHasher`."""

    def hash(self, password: str, /) -> str:
        """A new salted hash, with its parameters in it."""

    def verify(self, hash: str, password: str, /) -> bool:  # noqa: A002 - argon2's own name
        """True, or VerificationError."""

    def check_needs_rehash(self, hash: str, /) -> bool:  # noqa: A002 - argon2's own name
        """Whether it was made with other parameters."""


class Passwords:
    """Hashes and verifies; at most AT_ONCE at the same time, so that log-ins cannot take all memory. Thread-safe."""

    def __init__(self, hasher: Hasher | None = None) -> None:
        self._hasher = PasswordHasher() if hasher is None else hasher
        self._computing = threading.Semaphore(AT_ONCE)
        self._queue = threading.Semaphore(AT_ONCE + WAITING_MAX)

    def hashed(self, password: str) -> str:
        """A new hash; waits for its turn."""
        with self._computing:
            return self._hasher.hash(_normal(password))

    def is_right(self, password: str, hashed: str) -> bool:
        """Whether the password has this hash. One that is too long or no text is wrong, and costs the same.

        raises  LogInRefusedError when too many wait already
        """
        if not self._queue.acquire(blocking=False):
            raise LogInRefusedError("Too many people log in at this moment; try again in a few seconds.", RETRY_AFTER_S)
        try:
            with self._computing:
                is_usable = len(password) <= LENGTH_MAX and _is_text(password)
                return self._verified(password if is_usable else "", hashed) and is_usable
        finally:
            self._queue.release()

    def _verified(self, password: str, hashed: str) -> bool:
        try:
            return self._hasher.verify(hashed, _normal(password))
        except (VerificationError, InvalidHashError):
            return False

    def is_outdated(self, hashed: str) -> bool:
        """Whether the hash was made with other parameters than new ones are."""
        return self._hasher.check_needs_rehash(hashed)


def check_password(password: str, name: str) -> None:
    """Refuse a new password that others would try first.

    name    of the user, as it is stored
    raises  AccessError
    """
    if len(password) < LENGTH_MIN:
        message = (
            f"The password is too short: use at least {LENGTH_MIN} characters; several words are easy to remember."
        )
        raise AccessError(message)
    if len(password) > LENGTH_MAX:
        message = f"The password is too long: use at most {LENGTH_MAX} characters."
        raise AccessError(message)
    if not _is_text(password):
        raise AccessError("The password holds characters that are no text; type it again.")
    folded = _normal(password).casefold()
    if folded in {name, name * 2}:
        raise AccessError("The password is the user's name; use another.")
    if folded in well_known():
        raise AccessError("The password is one that everybody tries first; use another.")


@cache
def well_known() -> frozenset[str]:
    """Passwords that attackers try first, case folded; shorter ones than LENGTH_MIN need no list."""
    return frozenset(_WELL_KNOWN.read_text(encoding="utf-8").split())


def _normal(password: str) -> str:
    """The same characters typed on another keyboard are the same password (RFC 8265)."""
    return unicodedata.normalize("NFC", password)


def _is_text(password: str) -> bool:
    """Whether it can be hashed; half a surrogate pair cannot."""
    return not any("\ud800" <= letter <= "\udfff" for letter in password)
