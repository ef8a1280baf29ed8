"""Compressed bodies are undone within a bound, or refused with a reason."""

import gzip
import tracemalloc
import zlib

import pytest

from collector.otlp.decode import DecodeError
from collector.otlp.inflate import TooLargeError, UnsupportedEncodingError, inflate

BODY = b"spans " * 1000
LIMIT = 1 << 20


@pytest.mark.parametrize("encoding", ["", "identity", "Identity"])
def test_a_plain_body_is_itself(encoding: str) -> None:
    assert inflate(BODY, encoding, LIMIT) == BODY


@pytest.mark.parametrize("encoding", ["gzip", "GZIP", " x-gzip "])
def test_gzip_is_undone(encoding: str) -> None:
    assert inflate(gzip.compress(BODY), encoding, LIMIT) == BODY


def test_members_follow_one_another() -> None:
    assert (
        inflate(gzip.compress(b"one ") + gzip.compress(b"") + gzip.compress(b"two") + b"\0\0", "gzip", LIMIT)
        == b"one two"
    )


@pytest.mark.parametrize("encoding", ["zstd", "deflate", "br", "gzip, gzip"])
def test_other_encodings_are_refused(encoding: str) -> None:
    with pytest.raises(UnsupportedEncodingError):
        inflate(BODY, encoding, LIMIT)


@pytest.mark.parametrize("cut", [0, 1, 9, 20, -9, -1])
def test_a_truncated_body_is_refused(cut: int) -> None:
    with pytest.raises(DecodeError):
        inflate(gzip.compress(BODY)[:cut], "gzip", LIMIT)


@pytest.mark.parametrize("damage", [b"not gzip at all", gzip.compress(BODY) + b"tail", zlib.compress(BODY)])
def test_a_corrupt_body_is_refused(damage: bytes) -> None:
    with pytest.raises(DecodeError):
        inflate(damage, "gzip", LIMIT)


def test_a_wrong_checksum_is_refused() -> None:
    packed = bytearray(gzip.compress(BODY))
    packed[-8] ^= 1
    with pytest.raises(DecodeError):
        inflate(bytes(packed), "gzip", LIMIT)


def test_a_body_above_the_limit_is_refused_as_it_comes() -> None:
    with pytest.raises(TooLargeError):
        inflate(bytes(LIMIT + 1), "", LIMIT)
    assert inflate(bytes(LIMIT), "", LIMIT) == bytes(LIMIT)


def test_a_body_may_reach_the_limit_exactly() -> None:
    assert len(inflate(gzip.compress(bytes(LIMIT)), "gzip", LIMIT)) == LIMIT
    with pytest.raises(TooLargeError):
        inflate(gzip.compress(bytes(LIMIT + 1)), "gzip", LIMIT)


def test_a_bomb_is_refused_without_being_held() -> None:
    bomb = gzip.compress(bytes(256 << 20), compresslevel=1)
    tracemalloc.start()
    with pytest.raises(TooLargeError):
        inflate(bomb, "gzip", LIMIT)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * LIMIT


def test_a_chain_of_tiny_members_is_refused() -> None:
    with pytest.raises(DecodeError, match="members"):
        inflate(gzip.compress(b"") * 2000, "gzip", LIMIT)
