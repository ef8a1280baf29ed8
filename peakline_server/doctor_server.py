"""The running server, asked over its API: each question once, each answer bounded in time."""

import json
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from peakline_server.client_token import FORBIDDEN, TOKEN_VARIABLE, UNAUTHENTICATED, Credentials, is_in_the_clear
from peakline_server.doctor_finding import Finding, Place, ok, problem, skipped, warning
from peakline_server.program import program

NAME = "server"
TIMEOUT_S = 3.0
HEALTH = "/healthz"
ANSWER_BYTES_MAX = 32 << 20
OK, SERVER_ERROR = 200, 500
_SILENT = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back.

    status  HTTP status, 0 when nothing answered
    body    JSON, None when it was none
    detail  why there is no answer, in words, '' with status 200
    date    the Date header, '' without one
    at_ns   our clock when it came
    """

    status: int
    body: Any = None
    detail: str = ""
    date: str = ""
    at_ns: int = 0

    @property
    def is_answer(self) -> bool:
        """Whether the question was answered with JSON."""
        return self.status == OK and self.body is not None


@dataclass(slots=True)
class Asked:
    """A server by its address. Every distinct question goes out once.

    Nothing but its health is asked of a server that is not ours: the token is for nobody else.

    timeout_s  how long nothing may come; a whole answer has twice that time
    """

    url: str
    credentials: Credentials
    timeout_s: float = TIMEOUT_S
    _replies: dict[str, Reply] = field(default_factory=dict)

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Reply:
        """The answer to a question; a server that was silent once is not asked again."""
        if (silent := self._replies.get("")) is not None:
            return silent
        if path != HEALTH and not self.is_peakline():
            return replace(self.get(HEALTH), body=None)
        key = f"{path} {sorted((query or {}).items())}"
        if key not in self._replies:
            reply = self._ask(path, query or {})
            self._replies["" if reply.status == _SILENT else key] = reply
            return reply
        return self._replies[key]

    def is_peakline(self) -> bool:
        """Whether what answers there is one of ours."""
        reply = self.get(HEALTH)
        return reply.is_answer and isinstance(reply.body, dict) and reply.body.get("status") == "alive"

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
        try:
            with (
                httpx.Client(timeout=self.timeout_s, trust_env=False, verify=self.credentials.verify()) as client,
                client.stream("GET", self.url.rstrip("/") + path, params=query, headers=headers) as found,
            ):
                content = _content(found.iter_bytes())
        except (httpx.HTTPError, httpx.InvalidURL) as fault:
            return Reply(_SILENT, detail=_why_silent(str(fault)))
        body = _json(content)
        detail = body.get("detail", "") if body is not None and found.status_code != OK else ""
        return Reply(found.status_code, body, str(detail), found.headers.get("date", ""), time.time_ns())


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


def _why_silent(words: str) -> str:
    if "CERTIFICATE_VERIFY_FAILED" in words:
        return "its certificate cannot be verified"
    return words or "it does not answer"


def unanswered(name: str, place: Place, reply: Reply, role: str) -> Finding:
    """Why a check that asks the server has nothing to say.

    role  whose token may ask
    """
    url = place.server.url
    if reply.status == _SILENT:
        return skipped(name, f"Not looked at: no server answers at {url}.")
    if reply.status == UNAUTHENTICATED:
        make = f"`{program()} tokens create doctor --role {role}`"
        return skipped(name, f"Not looked at: {url} wants a token.", f"Set {TOKEN_VARIABLE}; make one with {make}.")
    if reply.status == FORBIDDEN:
        return skipped(name, f"Not looked at: {reply.detail}", f"Use a token with the role {role}.")
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
        return found
    if reply.status != _SILENT:
        said = f"What answers at {asked.url} is no Peakline server (status {reply.status})."
        return [problem(name, said, "Name the server with --server URL.")]
    if "certificate" in reply.detail:
        fix = "Name its authority with --ca-file FILE, and the server by the name in its certificate with --server URL."
        return [problem(name, f"The certificate of {asked.url} cannot be verified.", fix)]
    said, fix = f"No server answers at {asked.url} ({reply.detail}).", f"Start one with `{program()} serve`."
    return [problem(name, said, fix) if place.is_named else skipped(name, said, fix)]
