"""Ids of traces, spans, requests and conversations: hashes of the plan's seed and origin and of plain numbers."""

from binascii import hexlify
from hashlib import blake2b
from struct import Struct
from typing import NamedTuple

from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.request import Request

_CALLS = 2
_unpack = Struct(f"16s8s8s16s{8 * _CALLS}s").unpack


class Ids(NamedTuple):
    """Ids of one request.

    request_id   32 hexadecimal digits in ASCII
    call_ids     span ids of its first two calls of dependencies
    trace_state  the field of Span that every span of the trace carries; empty for a trace without one
    """

    trace_id: bytes
    gateway_span_id: bytes
    engine_span_id: bytes
    request_id: bytes
    call_ids: bytes
    trace_state: bytes = b""


class Identifiers:
    """Equal plans give equal ids."""

    def __init__(self, plan: FleetPlan) -> None:
        self._key = blake2b(f"{plan.seed} {plan.origin_ns}".encode(), digest_size=32).digest()

    def of_request(self, request: Request) -> Ids:
        """Ids of a request; the engine span is that of its last attempt."""
        digest = blake2b(request.number.to_bytes(8, "little"), key=self._key, digest_size=64).digest()
        trace, gateway, engine, asked, calls = _unpack(digest)
        return Ids(trace, gateway, engine, hexlify(asked), calls)

    def of_attempt(self, request: Request, place: int) -> bytes:
        """Span id of an earlier attempt at an engine."""
        return self._digest(b"attempt", request.number, place)[:8]

    def of_call(self, request: Request, ids: Ids, place: int) -> bytes:
        """Span id of a call of a dependency."""
        if place < _CALLS:
            return ids.call_ids[8 * place : 8 * place + 8]
        return self._digest(b"call", request.number, place)[:8]

    def of_conversation(self, session: int) -> bytes:
        """32 hexadecimal digits in ASCII."""
        return self._digest(b"session", session).hex().encode()

    def _digest(self, what: bytes, number: int, place: int = 0) -> bytes:
        text = number.to_bytes(8, "little") + place.to_bytes(2, "little")
        return blake2b(text, key=self._key, person=what, digest_size=16).digest()
