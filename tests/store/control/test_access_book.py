from pathlib import Path

import pytest

from store.control.access_book import SqlAccessBook
from store.control.access_records import StoredSession, StoredToken, StoredUser, UserKind
from store.control.open import open_control
from store.control.tables import CONTROL
from vocabulary.access import Role
from vocabulary.errors import StoreUnavailableError


def test_the_book_survives_the_process(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'control.db'}"
    token = StoredToken("a" * 12, "ci", Role.INGEST, None, 1, "test")
    user = StoredUser("u1", "ann", UserKind.LOCAL, Role.ADMIN, None, 1, "test")
    first = open_control(url)
    book = SqlAccessBook(first.engine)
    book.tokens.add(token, "d" * 64)
    book.users.add(user, "hash")
    book.sessions.open(StoredSession("s", "u1", "csrf", 2, 2, 9), "hash", "", 20)
    first.close()
    second = open_control(url)
    book = SqlAccessBook(second.engine)
    assert book.tokens.found("a" * 12) == (token, "d" * 64)
    assert [user.name for user in book.users.all()] == ["ann"]
    assert book.sessions.found("s") is not None
    second.close()


def test_a_book_that_cannot_be_used_says_that_later_may_work(tmp_path: Path) -> None:
    control = open_control(f"sqlite:///{tmp_path / 'control.db'}")
    CONTROL.drop_all(control.engine)
    book = SqlAccessBook(control.engine)
    for question in (book.tokens.all, book.users.all, lambda: book.sessions.found("s")):
        with pytest.raises(StoreUnavailableError, match="nobody can be let in"):
            question()
    control.close()
