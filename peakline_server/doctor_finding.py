"""What the doctor finds, and what it looks at: checks that only read."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from peakline_server.doctor_server import Asked
    from peakline_server.tls import TlsSettings


class State(StrEnum):
    """How it stands with one thing.

    warning  works, but should not stay so
    problem  does not work, or is not safe
    skipped  could not be looked at; the sentence says why
    """

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    name  of the check
    fix   what to do, '' where nothing is to be done
    """

    name: str
    state: State
    sentence: str
    fix: str = ""


def ok(name: str, sentence: str) -> Finding:
    return Finding(name, State.OK, sentence)


def warning(name: str, sentence: str, fix: str = "") -> Finding:
    return Finding(name, State.WARNING, sentence, fix)


def problem(name: str, sentence: str, fix: str = "") -> Finding:
    return Finding(name, State.PROBLEM, sentence, fix)


def skipped(name: str, sentence: str, fix: str = "") -> Finding:
    return Finding(name, State.SKIPPED, sentence, fix)


UNREAD = "Not looked at: the configuration cannot be read, so nobody knows what it says of this."


@dataclass(frozen=True, slots=True)
class Place:
    """What is looked at.

    data            data folder, None where nobody named one
    host            address that the server listens on
    ports           what listens -> its port, those that are switched off left out
    control         URL of a shared control database, '' for SQLite in `data`; it may hold a password
    rules           alert rule file, None for none
    tls             certificate of the listeners, None for plain http
    access_enabled  whether callers are asked who they are
    public_url      how others reach the server, '' where nobody said
    server          the running server, asked over its API
    is_named        whether somebody named the server, so that its silence is a problem
    environment     variables of this process
    clock_ns        now, nanoseconds since the epoch
    configuration_is_read  whether what is configured is known; if not, these are defaults
    """

    data: Path | None
    host: str
    ports: Mapping[str, int]
    control: str = field(repr=False)
    rules: Path | None
    tls: "TlsSettings | None"
    access_enabled: bool
    public_url: str
    server: "Asked"
    is_named: bool
    environment: Mapping[str, str] = field(repr=False)
    clock_ns: Callable[[], int]
    configuration_is_read: bool = True

    @property
    def scheme(self) -> str:
        """Of the listeners: as configured, or as the named server is asked."""
        if self.tls is not None:
            return "https"
        return urlsplit(self.server.url).scheme if self.is_named else "http"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to look at.

    group     heading it stands under
    name      as findings carry it
    sentence  what is looked at, for the documentation
    """

    group: str
    name: str
    sentence: str
    examine: Callable[[Place], Sequence[Finding]]
