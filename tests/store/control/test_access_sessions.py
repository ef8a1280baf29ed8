import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from store.control.access_book import SqlAccessBook
from store.control.access_records import StoredSession, StoredUser, UserKind
from store.control.access_users import UserState
from store.control.open import Control
from store.control.tables import access_sessions
from vocabulary.access import Role


@pytest.fixture
def book(any_control: Control) -> SqlAccessBook:
    found = SqlAccessBook(any_control.engine)
    for name in ("ann", "bob"):
        found.users.add(StoredUser(name, name, UserKind.LOCAL, Role.VIEWER, None, 1, "test"), f"hash of {name}")
    return found


def a_session(digest: str = "s1", created_ns: int = 10, user: str = "ann") -> StoredSession:
    return StoredSession(digest, user, "csrf", created_ns, created_ns, created_ns + 100)


def open_one(book: SqlAccessBook, session: StoredSession, old: str = "", most: int = 20) -> bool:
    return book.sessions.open(session, f"hash of {session.user_id}", old, most)


def test_a_session_is_found_with_its_user_and_the_log_in_is_noted(book: SqlAccessBook) -> None:
    assert open_one(book, a_session())
    found = book.sessions.found("s1")
    assert found is not None
    assert found[0] == a_session()
    assert (found[1].name, found[1].last_login_ns) == ("ann", 10)
    assert book.sessions.found("s2") is None


def test_the_browser_s_old_session_ends_with_the_new_one(book: SqlAccessBook) -> None:
    open_one(book, a_session("old", user="bob"))
    open_one(book, a_session("new"), old="old")
    assert book.sessions.found("old") is None
    assert book.sessions.found("new") is not None


@pytest.mark.parametrize("change", ["disabled", "removed", "new password"])
def test_no_session_opens_for_who_changed_since_the_password_was_judged(book: SqlAccessBook, change: str) -> None:
    open_one(book, a_session("old", user="bob"))
    if change == "disabled":
        book.users.change("ann", UserState(Role.VIEWER, None, is_disabled=True), 5, "test")
    elif change == "removed":
        book.users.delete("ann")
    else:
        book.users.set_password("ann", "another", 5, "test")
    assert not open_one(book, a_session(), old="old")
    assert book.sessions.found("s1") is None
    assert book.sessions.found("old") is not None


def test_nobody_with_a_password_comes_in_without_one(book: SqlAccessBook) -> None:
    assert not book.sessions.open(a_session(), None, "", 20)


def test_the_oldest_sessions_of_the_same_user_end_beyond_the_bound(book: SqlAccessBook) -> None:
    open_one(book, a_session("of bob", 1, "bob"))
    for number in range(5):
        open_one(book, a_session(f"s{number}", 10 + number), most=3)
    kept = [digest for digest in ("s0", "s1", "s2", "s3", "s4", "of bob") if book.sessions.found(digest)]
    assert kept == ["s2", "s3", "s4", "of bob"]


def test_the_new_session_stays_when_the_clock_went_back(book: SqlAccessBook) -> None:
    open_one(book, a_session("first", 50), most=1)
    open_one(book, a_session("second", 40), most=1)
    assert book.sessions.found("first") is None
    assert book.sessions.found("second") is not None


def test_a_session_ends_and_ending_it_again_is_no_error(book: SqlAccessBook) -> None:
    open_one(book, a_session())
    for _ in range(2):
        book.sessions.end("s1")
    assert book.sessions.found("s1") is None


def test_the_last_request_only_moves_forward(book: SqlAccessBook) -> None:
    open_one(book, a_session())
    for at_ns in (30, 20):
        book.sessions.mark_seen("s1", at_ns)
    found = book.sessions.found("s1")
    assert found is not None
    assert found[0].seen_ns == 30


def test_what_nobody_can_use_any_more_is_removed(book: SqlAccessBook, any_control: Control) -> None:
    for digest, created_ns in (("expired", 1), ("idle", 90), ("open", 95)):
        open_one(book, a_session(digest, created_ns))
    book.sessions.mark_seen("open", 100)
    book.sessions.mark_seen("expired", 101)
    book.sessions.remove_ended(101, 10)
    with any_control.engine.connect() as connection:
        assert connection.execute(select(func.count()).select_from(access_sessions)).scalar() == 1
    assert book.sessions.found("open") is not None


def test_a_session_without_a_user_cannot_be_stored(any_control: Control) -> None:
    row = {"digest": "d", "user_id": "nobody", "csrf": "", "created_ns": 1, "seen_ns": 1, "expires_ns": 2}
    with pytest.raises(IntegrityError), any_control.engine.begin() as connection:
        connection.execute(access_sessions.insert().values(row))
