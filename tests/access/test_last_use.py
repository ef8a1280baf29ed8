from concurrent.futures import ThreadPoolExecutor

import pytest

from access.last_use import LastUse
from vocabulary.errors import StoreUnavailableError


def test_a_use_is_written_once_in_a_while() -> None:
    written: list[tuple[str, int]] = []
    uses = LastUse(60, lambda key, at_ns: written.append((key, at_ns)))
    for now_ns in (100, 130, 159, 160, 200, 220):
        uses.note("a", None, now_ns)
    uses.note("b", None, 200)
    assert written == [("a", 100), ("a", 160), ("a", 220), ("b", 200)]


def test_what_another_process_wrote_is_not_written_again() -> None:
    written: list[int] = []
    uses = LastUse(60, lambda _, at_ns: written.append(at_ns))
    uses.note("a", 90, 100)
    uses.note("a", 90, 150)
    assert written == [150]


def test_a_write_that_fails_hurts_nobody_and_is_not_tried_at_every_request() -> None:
    tried: list[int] = []

    def fail(_key: str, at_ns: int) -> None:
        tried.append(at_ns)
        raise StoreUnavailableError("locked")

    uses = LastUse(60, fail)
    for now_ns in (100, 130, 160):
        uses.note("a", None, now_ns)
    assert tried == [100, 160]


def test_one_of_many_threads_writes() -> None:
    written: list[int] = []
    uses = LastUse(60, lambda _, at_ns: written.append(at_ns))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: uses.note("a", None, 100), range(200)))
    assert written == [100]


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("access.last_use._KEYS_MAX", 3)
    uses = LastUse(60, lambda _, __: None)
    for number in range(10):
        uses.note(str(number), None, number)
    assert list(uses._tried_ns) == ["7", "8", "9"]
