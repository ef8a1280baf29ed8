"""Seeded OTLP bodies changed field by field, so that most stay valid: what byte noise hardly ever reaches."""

import random
from collections.abc import Iterator
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.factories.otlp_messages import message

VARINT, FIXED64, BYTES, GROUP, FIXED32 = 0, 1, 2, 3, 5
NUMBERS = (*range(1, 18), 99, 1000, 2**29 - 1)
Field = tuple[int, int, bytes]  # number, wire type, bytes behind the tag


def odd_bodies(seed: int, count: int) -> Iterator[bytes]:
    chance = random.Random(seed)
    for _ in range(count):
        yield changed(message(chance).SerializeToString(), ExportTraceServiceRequest.DESCRIPTOR, chance)


def changed(body: bytes, descriptor: Any, chance: random.Random) -> bytes:
    """The message with some fields doubled, emptied, split, moved, padded, or joined by unknown ones."""
    found: list[Field] = []
    for number, wire, raw in fields_of(body):
        known = descriptor.fields_by_number.get(number)
        payload = raw
        if wire == BYTES:
            content = raw[varint_at(raw, 0)[1] :]
            if known is not None and known.message_type is not None:
                content = changed(content, known.message_type, chance)
                if chance.random() < 0.02:
                    head, content = split(content, chance)
                    found.append((number, wire, delimited(head, chance)))
            elif chance.random() < 0.02:
                content = chance.choice((b"", b"z"))
            payload = delimited(content, chance)
        found.extend([(number, wire, payload)] * (2 if chance.random() < 0.03 else 1))
    if chance.random() < 0.08:
        found.insert(chance.randrange(len(found) + 1), unknown(chance))
    if chance.random() < 0.04:
        chance.shuffle(found)
    return joined(found)


def split(body: bytes, chance: random.Random) -> tuple[bytes, bytes]:
    """A message as two that merge into it."""
    found = list(fields_of(body))
    place = chance.randrange(len(found) + 1)
    return joined(found[:place]), joined(found[place:])


def unknown(chance: random.Random) -> Field:
    number = chance.choice(NUMBERS)
    payloads = {
        VARINT: varint(chance.choice((0, 1, 2**31, 2**63, 2**64 - 1, chance.getrandbits(64)))),
        FIXED64: chance.randbytes(8),
        FIXED32: chance.randbytes(4),
        BYTES: delimited(chance.choice((b"", b"abc", b"\x08\x01", "☃".encode())), chance),
        GROUP: varint(50 << 3) + varint(7) + varint(number << 3 | 4),
    }
    wire = chance.choice(tuple(payloads))
    return number, wire, payloads[wire]


def joined(found: list[Field]) -> bytes:
    return b"".join(varint(number << 3 | wire) + payload for number, wire, payload in found)


def delimited(content: bytes, chance: random.Random) -> bytes:
    """Length and content; some lengths are written longer than they need to be."""
    length = varint(len(content))
    if chance.random() < 0.05:
        length = length[:-1] + bytes([length[-1] | 0x80, 0])
    return length + content


def fields_of(body: bytes) -> Iterator[Field]:
    place = 0
    while place < len(body):
        tag, start = varint_at(body, place)
        wire = tag & 7
        if wire == BYTES:
            length, end = varint_at(body, start)
            place = end + length
        else:
            place = {VARINT: varint_at(body, start)[1], FIXED64: start + 8, FIXED32: start + 4, GROUP: 0}[wire]
            if wire == GROUP:
                place = group_end(body, start)
        yield tag >> 3, wire, body[start:place]


def group_end(body: bytes, start: int) -> int:
    """End of the only kind of group that `unknown` makes."""
    for _ in range(3):
        start = varint_at(body, start)[1]
    return start


def varint_at(body: bytes, place: int) -> tuple[int, int]:
    """A number and where it ends; (0, place) behind the end of the body."""
    found = shift = 0
    while place < len(body):
        found |= (body[place] & 0x7F) << shift
        shift, place = shift + 7, place + 1
        if body[place - 1] < 0x80:
            break
    return found, place


def varint(number: int) -> bytes:
    found = b""
    while number > 0x7F:
        found += bytes([number & 0x7F | 0x80])
        number >>= 7
    return found + bytes([number])
