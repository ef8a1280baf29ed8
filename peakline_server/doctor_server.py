"""The running server, asked over its API: each question once, each answer bounded in time."""

import json
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from peakline_server.client_token import (
    BAD_TOKEN,
    FORBIDDEN,
    TOKEN_VARIABLE,
    UNAUTHENTICATED,
    Credentials,
    is_in_the_clear,
)
from peakline_server.doctor_finding import Finding, Place, ok, problem, skipped, warning
from peakline_server.doctor_folder import is_held
from peakline_server.program import program

NAME = "server"
TIMEOUT_S = 3.0
HEALTH = "/healthz"
ANSWER_BYTES_MAX = 32 << 20
OK, SERVER_ERROR = 200, 500
_SILENT = 0
_OURS = "urn:peakline:problem:"
_BAD_TOKEN, _UNKNOWN_HOST = f"{_OURS}bad-token", f"{_OURS}unknown-host"
_BY_NAME = "name the server as its certificate does, with --server URL"
CALL_IT = "Name it with --server URL by a name that server.hosts lists."


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back.

    status  HTTP status, 0 when nothing answered
    body    JSON, None when it was none
    detail  why there is no answer, in words, '' with status 200
    date    the Date header, '' without one
    at_ns   our clock when it came
    kind    type of the problem document, '' when it is none
    not_met why TLS kept it from being answered, '' where it did not
    """

    status: int
    body: Any = None
    detail: str = ""
    date: str = ""
    at_ns: int = 0
    kind: str = ""
    not_met: str = ""

    @property
    def is_answer(self) -> bool:
        """Whether the question was answered with JSON."""
        return self.status == OK and self.body is not None


@dataclass(slots=True)
class Asked:
    """A server by its address. Every distinct question goes out once.

    Nothing but its health is asked of a server that is not ours: the token is for nobody else.

    timeout_s  how long nothing may come; a whole answer has twice that time
    host       name to ask for, '' for that of the address
    other      another address of it; `url` and `host` become its own, if more is heard there
    """

    url: str
    credentials: Credentials
    timeout_s: float = TIMEOUT_S
    host: str = ""
    other: "Asked | None" = None
    _replies: dict[str, Reply] = field(default_factory=dict)

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Reply:
        """The answer to a question; a server that was silent once is not asked again."""
        if (silent := self._replies.get("")) is not None:
            return silent
        if path != HEALTH and not self.is_peakline():
            return replace(self.get(HEALTH), body=None)
        key = f"{path} {sorted((query or {}).items())}"
        if key not in self._replies:
            reply = self._met() if path == HEALTH else self._ask(path, query or {})
            self._replies["" if reply.status == _SILENT else key] = reply
            return reply
        return self._replies[key]

    def is_peakline(self) -> bool:
        """Whether what answers there is one of ours."""
        return _is_alive(self.get(HEALTH))

    def is_refusing(self) -> bool:
        """Whether it is one of ours, but not for who asks, or under this name."""
        return self.get(HEALTH).kind.startswith(_OURS)

    def _met(self) -> Reply:
        reply = self._ask(HEALTH, {})
        if self.other is None or _is_alive(reply) or _told(there := self.other.get(HEALTH)) <= _told(reply):
            return reply
        silent = Asked(self.url, self.credentials)
        self.url, self.host, self.other = self.other.url, self.other.host, silent
        return there

    def _ask(self, path: str, query: Mapping[str, str]) -> Reply:
        """In a thread of its own: a server may send an answer that never ends, byte by byte."""
        found: list[Reply] = []
        thread = threading.Thread(target=lambda: found.append(self._answer(path, query)), daemon=True)
        thread.start()
        thread.join(2 * self.timeout_s)
        return found[0] if found else Reply(_SILENT, detail="it does not finish its answer")

    def _answer(self, path: str, query: Mapping[str, str]) -> Reply:
        import httpx

        headers = {} if path == HEALTH else self.credentials.headers()
        headers |= {"Host": self.host} if self.host else {}
        try:
            with (
                httpx.Client(timeout=self.timeout_s, trust_env=False, verify=self.credentials.verify()) as client,
                client.stream("GET", self.url.rstrip("/") + path, params=query, headers=headers) as found,
            ):
                content = _content(found.iter_bytes())
        except (httpx.HTTPError, httpx.InvalidURL) as fault:
            not_met = self.credentials.not_met(self.url, fault) or ""
            return Reply(_SILENT, detail=str(fault) or "it does not answer", not_met=not_met)
        body = _json(content)
        told = body if body is not None and found.status_code != OK else {}
        detail, kind = str(told.get("detail", "")), str(told.get("type", ""))
        return Reply(found.status_code, body, detail, found.headers.get("date", ""), time.time_ns(), kind)


def _is_alive(reply: Reply) -> bool:
    return reply.is_answer and isinstance(reply.body, dict) and reply.body.get("status") == "alive"


def _told(reply: Reply) -> int:
    """How much an answer to the question for health says of the server."""
    if _is_alive(reply):
        return 4
    if reply.status != _SILENT:
        return 3 if reply.kind.startswith(_OURS) else 2
    return 1 if reply.not_met else 0


def _content(pieces: Iterable[bytes]) -> bytes:
    """An answer, up to a length that none of ours has."""
    content = bytearray()
    for piece in pieces:
        content += piece
        if len(content) > ANSWER_BYTES_MAX:
            break
    return bytes(content)


def _json(content: bytes) -> dict[str, Any] | None:
    """What every answer of ours is; None for anything else."""
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def unanswered(name: str, place: Place, reply: Reply, role: str) -> Finding:
    """Why a check that asks the server has nothing to say.

    role  whose token may ask
    """
    url = place.server.url
    if reply.status == _SILENT:
        return skipped(name, f"Not looked at: {reply.not_met or f'no server answers at {url}'}.")
    if reply.status == UNAUTHENTICATED:
        make = f"`{program()} tokens create doctor --role {role}`"
        if reply.kind == _BAD_TOKEN:
            return skipped(name, f"{BAD_TOKEN}.", f"Make one with {make}.")
        return skipped(name, f"Not looked at: {url} wants a token.", f"Set {TOKEN_VARIABLE}; make one with {make}.")
    if reply.status == FORBIDDEN:
        fix = CALL_IT if reply.kind == _UNKNOWN_HOST else f"Use a token with the role {role}."
        return skipped(name, f"Not looked at: {reply.detail}", fix)
    if reply.status >= SERVER_ERROR:
        told = reply.detail or f"it answered {reply.status}"
        return problem(name, f"The server cannot say: {told}", "Look at the server's log.")
    return skipped(name, f"Not looked at: {url} answered {reply.status}. {reply.detail}".strip())


def server(place: Place) -> list[Finding]:
    """Whether a Peakline server answers."""
    name, asked = NAME, place.server
    reply = asked.get(HEALTH)
    if asked.is_peakline():
        found = [ok(name, f"A Peakline server answers at {asked.url}.")]
        if asked.credentials.token and is_in_the_clear(asked.url):
            found.append(warning(name, f"The token goes to {asked.url} unencrypted.", "Use https."))
        return [*found, *_elsewhere(place)]
    if asked.is_refusing():
        said = f"A Peakline server answers at {asked.url}, but refuses this question: {reply.detail}"
        return [problem(name, said, CALL_IT if reply.kind == _UNKNOWN_HOST else "")]
    if reply.status != _SILENT:
        said = f"What answers at {asked.url} is no Peakline server (status {reply.status})."
        return [problem(name, said, "Name the server with --server URL.")]
    if reply.not_met:
        said, _, fix = (f"{words[:1].upper()}{words[1:]}" for words in reply.not_met.partition("; "))
        return [problem(name, f"{said}.", f"{fix}; {_BY_NAME}." if "--ca-file" in fix else f"{fix}.")]
    where = f"{asked.url} or {asked.other.url}" if asked.other else asked.url
    said, fix = f"No server answers at {where} ({reply.detail}).", f"Start one with `{program()} serve`."
    return [problem(name, said, fix) if place.is_named else skipped(name, said, fix)]


def is_of_another_folder(place: Place) -> bool:
    """Whether a server answers, but nobody has the data folder open: then it is not the server of this folder."""
    return place.data is not None and place.server.is_peakline() and is_held(place.data) is False


def _elsewhere(place: Place) -> Iterator[Finding]:
    if is_of_another_folder(place):
        said = f"It is a Peakline server of another folder that answers there: nobody has {place.data} open."
        fix = "What follows of stores and emitters is of that server. Name the right one with --server, or with --data."
        yield warning(NAME, said, fix)
