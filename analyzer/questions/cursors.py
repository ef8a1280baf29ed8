"""Cursors of request pages: opaque to callers, a place in the order for the store."""

import base64
import binascii
import struct

from vocabulary.errors import PeaklineError

PLACE = struct.Struct(">Bq16s")
VERSION = 1


class BadCursorError(PeaklineError):
    """A cursor that no page gave."""


def cursor_of(place: tuple[int, bytes]) -> str:
    """Text for a place (anchor_ns, request_key)."""
    return base64.urlsafe_b64encode(PLACE.pack(VERSION, *place)).decode().rstrip("=")


def place_of(cursor: str) -> tuple[int, bytes]:
    """Place that a cursor names.

    raises  BadCursorError for a text that is no cursor of this version
    """
    message = "The cursor is damaged: use the `next` of a page as it is, or leave it out to start at the newest."
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        version, anchor_ns, key = PLACE.unpack(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (UnicodeEncodeError, binascii.Error, struct.error) as error:
        raise BadCursorError(message) from error
    if version != VERSION:
        raise BadCursorError(message)
    return anchor_ns, key
