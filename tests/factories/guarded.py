"""A whole server with access on, for processes of their own: the embedded store allows one folder per process."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from access.room import open_room
from access.settings import AccessSettings
from access.web.settings import WebSettings
from peakline_server.settings import ServeSettings
from peakline_server.wiring import Server, build_server
from store.control.access_book import SqlAccessBook
from store.control.open import open_control
from vocabulary.access import Role
from vocabulary.pools import SECOND_NS

NOW_NS = 1_796_043_600_000_000_000
PASSWORD = "correct horse battery"
TENANT = "team-a"


@dataclass
class Clock:
    """Time as the test says."""

    now_ns: int = NOW_NS

    def __call__(self) -> int:
        return self.now_ns


@dataclass(frozen=True)
class Guarded:
    """A server with access on, and credentials of every kind.

    tokens  by column of the matrix: the five roles, limited, and what must not work: wrong, expired, revoked
    """

    server: Server
    tokens: dict[str, str]
    clock: Clock


def guarded_settings(folder: Path, **changes: Any) -> ServeSettings:
    """Access on, everything else as nobody configured it."""
    return replace(ServeSettings(data=folder, init=True, web=WebSettings(is_on=True)), **changes)


def issue_tokens(folder: Path, clock: Clock) -> dict[str, str]:
    """One token a column, and an administrator with a password, written by the room itself before the server starts."""
    folder.mkdir(mode=0o700, exist_ok=True)
    control = open_control(f"sqlite:///{folder / 'control.sqlite'}")
    try:
        administration = open_room(SqlAccessBook(control.engine), clock, AccessSettings()).administration
        administration.create_user("root", Role.ADMIN, None, PASSWORD, "test")
        administration.create_user("vera", Role.VIEWER, None, PASSWORD, "test")
        texts = {str(role): administration.create_token(str(role), role, None, None, "test")[1] for role in Role}
        limited = administration.create_token("limited", Role.VIEWER, frozenset({TENANT}), None, "test")[1]
        expired = administration.create_token("old", Role.ADMIN, None, clock() + SECOND_NS, "test")[1]
        gone, revoked = administration.create_token("gone", Role.ADMIN, None, None, "test")
        administration.revoke_token(gone.id, "test")
    finally:
        control.close()
    clock.now_ns += 2 * SECOND_NS
    wrong = "pkl_" + "a" * 12 + "_" + "b" * 43
    return {**texts, "limited": limited, "wrong": wrong, "expired": expired, "revoked": revoked}


@contextmanager
def guarded(folder: Path, **changes: Any) -> Iterator[Guarded]:
    """The server in this process, not listening: ask its `app`."""
    clock = Clock()
    tokens = issue_tokens(folder, clock)
    server = build_server(guarded_settings(folder, **changes), clock)
    try:
        yield Guarded(server, tokens, clock)
    finally:
        server.close()


def fastapi_of(app: Any) -> FastAPI:
    """The application at the bottom of all layers."""
    while not isinstance(app, FastAPI):
        app = getattr(app, "_app", None) or app.default
    return app
