import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from argon2 import PasswordHasher

from access.contract import AccessError, LogInRefusedError
from access.passwords import AT_ONCE, LENGTH_MAX, LENGTH_MIN, Passwords, check_password, well_known
from tests.access.conftest import PASSWORD, CountingHasher


def test_a_password_is_right_or_wrong() -> None:
    passwords = Passwords(CountingHasher())
    hashed = passwords.hashed(PASSWORD)
    assert hashed.startswith("$argon2id$")
    assert PASSWORD not in hashed
    assert passwords.is_right(PASSWORD, hashed)
    assert not passwords.is_right(PASSWORD + " ", hashed)
    assert passwords.hashed(PASSWORD) != hashed


def test_the_library_s_parameters_are_used() -> None:
    hashed = Passwords().hashed(PASSWORD)
    assert not PasswordHasher().check_needs_rehash(hashed)
    assert Passwords(CountingHasher()).is_outdated(hashed)


@pytest.mark.parametrize("password", ["", "x" * (LENGTH_MAX + 1), "\ud800" * 20, "\0" * 20])
def test_what_cannot_be_a_password_is_wrong_and_costs_the_same(password: str) -> None:
    hasher = CountingHasher()
    passwords = Passwords(hasher)
    assert not passwords.is_right(password, passwords.hashed(PASSWORD))
    assert hasher.verified == 1


def test_a_broken_hash_lets_nobody_in() -> None:
    passwords = Passwords(CountingHasher())
    assert not passwords.is_right("", "")
    assert not passwords.is_right(PASSWORD, "$argon2id$broken")


def test_one_password_typed_on_two_keyboards_is_one() -> None:
    passwords = Passwords(CountingHasher())
    assert passwords.is_right("caf\u00e9 caf\u00e9 caf\u00e9", passwords.hashed("cafe\u0301 cafe\u0301 cafe\u0301"))


class Crowd(CountingHasher):
    """Counts how many are inside; each waits for a second one."""

    def __init__(self) -> None:
        super().__init__()
        self.pairs = threading.Barrier(AT_ONCE)
        self.entered = threading.Semaphore(0)
        self.inside = 0
        self.most = 0

    def verify(self, hash: str, password: str, /) -> bool:  # noqa: A002 - argon2's own name
        with self._lock:
            self.inside += 1
            self.most = max(self.most, self.inside)
        self.entered.release()
        self.pairs.wait(20)
        found = super().verify(hash, password)
        with self._lock:
            self.inside -= 1
        return found


def test_two_are_computed_at_once_and_never_more() -> None:
    hasher = Crowd()
    passwords = Passwords(hasher)
    hashed = passwords.hashed(PASSWORD)
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda _: passwords.is_right(PASSWORD, hashed), range(8)))
    assert hasher.most == AT_ONCE == 2


def test_who_finds_the_queue_full_is_told_when_to_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("access.passwords.WAITING_MAX", 0)
    hasher = Crowd()
    hasher.pairs = threading.Barrier(AT_ONCE + 1)
    passwords = Passwords(hasher)
    hashed = passwords.hashed(PASSWORD)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        under_way = [pool.submit(passwords.is_right, PASSWORD, hashed) for _ in range(AT_ONCE)]
        for _ in range(AT_ONCE):
            assert hasher.entered.acquire(timeout=20)
        with pytest.raises(LogInRefusedError, match="Too many people") as refusal:
            passwords.is_right(PASSWORD, hashed)
        hasher.pairs.wait(20)
        assert [one.result() for one in under_way] == [True, True]
    assert refusal.value.retry_after_s == 2
    hasher.pairs = threading.Barrier(1)
    assert passwords.is_right(PASSWORD, hashed)


@pytest.mark.parametrize(
    ("password", "reason"),
    [
        ("", "too short"),
        ("x" * (LENGTH_MIN - 1), "too short"),
        ("x" * (LENGTH_MAX + 1), "too long"),
        ("Administrator", "everybody tries first"),
        ("QWERTYuiop123", "everybody tries first"),
        ("Ann.Example.Com", "the user's name"),
        ("\ud800" * 20, "no text"),
    ],
)
def test_a_password_that_others_would_try_is_refused(password: str, reason: str) -> None:
    with pytest.raises(AccessError, match=reason):
        check_password(password, "ann.example.com")


def test_a_long_password_of_any_letters_is_fine() -> None:
    for password in (PASSWORD, "x7" * 6, "密码密码密码密码密码密码", "ann.example.com2", "y" * LENGTH_MAX):
        check_password(password, "ann.example.com")


def test_the_list_holds_only_what_length_alone_would_let_pass() -> None:
    assert len(well_known()) > 100
    assert all(len(word) >= LENGTH_MIN and word == word.casefold() for word in well_known())
