"""Undo Content-Encoding without ever holding more than the limit."""

import zlib

from collector.otlp.decode import DecodeError
from vocabulary.errors import PeaklineError

CHUNK_BYTES = 1 << 16
RATIO_MAX = 100  # telemetry compresses five to twenty times; a small body must not become a large one
SMALL_BYTES = 1 << 20  # below this no ratio is asked
MEMBERS_MAX = 1000  # real senders write one; a body of tiny members costs time, not bytes
GZIP_WINDOW = 16 + zlib.MAX_WBITS


class TooLargeError(PeaklineError):
    """A body is larger than the limit, before or after decompression."""


class UnsupportedEncodingError(PeaklineError):
    """A Content-Encoding that is neither identity nor gzip."""


def inflate(body: bytes, encoding: str, limit_bytes: int) -> bytes:
    """Body with its Content-Encoding undone.

    encoding     header value: '' | identity | gzip, any case
    limit_bytes  most bytes before and after; memory stays near it, whatever the body claims. A compressed body
                 over 1 MiB may unpack to RATIO_MAX times its size at most
    raises       TooLargeError, DecodeError (corrupt or truncated), UnsupportedEncodingError
    """
    if len(body) > limit_bytes:
        raise TooLargeError(_too_large(limit_bytes))
    match encoding.strip().lower():
        case "" | "identity":
            return body
        case "gzip" | "x-gzip":
            return _gunzip(body, min(limit_bytes, max(SMALL_BYTES, RATIO_MAX * len(body))))
        case other:
            message = f"Content-Encoding {other[:40]!r} is not supported; send gzip or identity"
            raise UnsupportedEncodingError(message)


def _gunzip(body: bytes, limit_bytes: int) -> bytes:
    """Every member of a gzip file, one after the other; zero padding after a member is allowed."""
    output: list[bytes] = []
    position = 0
    left = limit_bytes
    for _ in range(MEMBERS_MAX):
        position, size = _member(body, position, left, output)
        left -= size
        while body[position : position + 1] == b"\0":
            position += 1
        if position >= len(body):
            return b"".join(output)
    message = f"gzip body has more than {MEMBERS_MAX} members"
    raise DecodeError(message)


def _member(body: bytes, start: int, limit_bytes: int, output: list[bytes]) -> tuple[int, int]:
    """Append one member's content to `output`; returns where it ends in the body, and its size."""
    stream = zlib.decompressobj(GZIP_WINDOW)
    size = 0
    position = start
    while not stream.eof:
        pending = stream.unconsumed_tail
        if not pending:
            pending = body[position : position + CHUNK_BYTES]
            position += len(pending)
        part = _step(stream, pending)
        size += len(part)
        if size > limit_bytes:
            raise TooLargeError(_too_large(limit_bytes))
        if not part and not pending:
            message = "gzip body is truncated"
            raise DecodeError(message)
        output.append(part)
    return position - len(stream.unused_data), size


def _step(stream: "zlib._Decompress", pending: bytes) -> bytes:
    try:
        return stream.decompress(pending, CHUNK_BYTES)
    except zlib.error as error:
        message = f"gzip body is corrupt: {error}"
        raise DecodeError(message) from error


def _too_large(limit_bytes: int) -> str:
    return f"body is larger than the limit of {limit_bytes} bytes"
