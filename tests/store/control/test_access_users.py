from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest

from store.control.access_book import SqlAccessBook
from store.control.access_records import StoredSession, StoredUser, UserKind
from store.control.access_users import NotChanged, UserState
from store.control.open import Control
from vocabulary.access import Role

VIEWER = UserState(Role.VIEWER, None, is_disabled=False)


@pytest.fixture
def book(any_control: Control) -> SqlAccessBook:
    return SqlAccessBook(any_control.engine)


def a_user(name: str = "ann", role: Role = Role.ADMIN, tenants: frozenset[str] | None = None) -> StoredUser:
    return StoredUser(f"id-{name}", name, UserKind.LOCAL, role, tenants, 2**62, "test")


def from_provider(name: str = "ann (oidc)", subject: str = "17") -> StoredUser:
    user = replace(a_user(name, Role.VIEWER), id=f"id-{subject}", kind=UserKind.OIDC)
    return replace(user, issuer="https://idp.example", subject=subject)


def log_in(book: SqlAccessBook, user: StoredUser) -> None:
    judged_by = "hash" if user.kind is UserKind.LOCAL else None
    assert book.sessions.open(StoredSession(f"s-{user.id}", user.id, "csrf", 1, 1, 99), judged_by, "", 20)


def is_logged_in(book: SqlAccessBook, user: StoredUser) -> bool:
    return book.sessions.found(f"s-{user.id}") is not None


def test_a_user_reads_back_as_they_were(book: SqlAccessBook) -> None:
    limited = a_user("张伟", Role.VIEWER, frozenset({"acme"}))
    assert book.users.add(limited, "hash")
    assert book.users.add(from_provider(), None)
    assert book.users.all() == [from_provider(), limited]
    assert book.users.by_id("id-张伟") == book.users.local("张伟") == (limited, "hash")
    assert book.users.external("https://idp.example", "17") == from_provider()
    assert book.users.by_id("nobody") is None
    assert book.users.local("ann (oidc)") is None


def test_a_taken_name_is_an_answer_and_changes_nothing(book: SqlAccessBook) -> None:
    assert book.users.add(a_user(), "hash")
    assert not book.users.add(replace(a_user(role=Role.VIEWER), id="other"), "other")
    assert book.users.local("ann") == (a_user(), "hash")


def test_a_provider_s_id_is_one_user_and_local_users_have_none(book: SqlAccessBook) -> None:
    assert book.users.add(from_provider(), None)
    assert not book.users.add(replace(from_provider("other (oidc)"), id="other"), None)
    assert book.users.add(a_user("ann"), "hash")
    assert book.users.add(a_user("bob"), "hash")


@pytest.mark.parametrize(
    "state",
    [
        UserState(Role.VIEWER, None, is_disabled=False),
        UserState(Role.VIEWER, frozenset({"acme"}), is_disabled=False),
        UserState(Role.ADMIN, None, is_disabled=True),
    ],
)
def test_a_change_is_kept_and_ends_the_sessions_of_that_user(book: SqlAccessBook, state: UserState) -> None:
    for name in ("ann", "bob"):
        book.users.add(a_user(name), "hash")
        log_in(book, a_user(name))
    changed = book.users.change("id-ann", state, 5, "bob")
    assert isinstance(changed, StoredUser)
    assert (changed.role, changed.tenants, changed.is_disabled) == (state.role, state.tenants, state.is_disabled)
    found = book.users.by_id("id-ann")
    assert found is not None
    assert replace(found[0], last_login_ns=None) == replace(changed, last_login_ns=None)
    assert not is_logged_in(book, a_user("ann"))
    assert is_logged_in(book, a_user("bob"))


def test_the_last_who_may_administer_stays(book: SqlAccessBook) -> None:
    book.users.add(a_user("ann"), "hash")
    book.users.add(a_user("bob", Role.VIEWER), "hash")
    book.users.add(a_user("limited", Role.ADMIN, frozenset({"acme"})), "hash")
    log_in(book, a_user("ann"))
    assert book.users.change("id-ann", VIEWER, 5, "bob") is NotChanged.LAST_ADMIN
    assert book.users.change("id-ann", replace(VIEWER, role=Role.ADMIN, is_disabled=True), 5, "bob") is (
        NotChanged.LAST_ADMIN
    )
    assert book.users.delete("id-ann") is NotChanged.LAST_ADMIN
    assert is_logged_in(book, a_user("ann"))
    book.users.change("id-bob", replace(VIEWER, role=Role.ADMIN), 5, "ann")
    assert book.users.delete("id-ann") is None
    assert book.users.by_id("id-ann") is None


def test_who_does_not_exist_is_told(book: SqlAccessBook) -> None:
    assert book.users.change("nobody", VIEWER, 5, "bob") is NotChanged.UNKNOWN
    assert book.users.delete("nobody") is NotChanged.UNKNOWN
    assert not book.users.set_password("nobody", "new", 5, "bob")


def admins(book: SqlAccessBook) -> list[str]:
    return [user.name for user in book.users.all() if user.role is Role.ADMIN]


def test_two_admins_who_demote_one_another_at_once_do_not_both_succeed(book: SqlAccessBook) -> None:
    for round_number in range(5):
        names = [f"{name}{round_number}" for name in ("ann", "bob")]
        for name in names:
            book.users.add(a_user(name), "hash")
        for user in admins(book):
            if user not in names:
                book.users.change(f"id-{user}", VIEWER, 5, "test")
        barrier = Barrier(2)

        def demote(name: str, barrier: Barrier = barrier) -> StoredUser | NotChanged:
            barrier.wait(10)
            return book.users.change(f"id-{name}", VIEWER, 5, "test")

        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(demote, names))
        assert results.count(NotChanged.LAST_ADMIN) == 1
        assert len(admins(book)) == 1


def test_a_removed_user_takes_their_sessions_along(book: SqlAccessBook) -> None:
    for name in ("ann", "bob"):
        book.users.add(a_user(name), "hash")
        log_in(book, a_user(name))
    assert book.users.delete("id-ann") is None
    assert not is_logged_in(book, a_user("ann"))
    assert is_logged_in(book, a_user("bob"))


def test_a_new_password_ends_sessions_and_is_refused_where_the_old_one_has_gone(book: SqlAccessBook) -> None:
    book.users.add(a_user(), "hash")
    log_in(book, a_user())
    assert not book.users.set_password("id-ann", "new", 5, "ann", old="another")
    assert is_logged_in(book, a_user())
    assert book.users.set_password("id-ann", "new", 5, "ann", old="hash")
    assert not is_logged_in(book, a_user())
    found = book.users.local("ann")
    assert found is not None
    assert found[1] == "new"


def test_a_provider_s_user_gets_no_password(book: SqlAccessBook) -> None:
    book.users.add(from_provider(), None)
    assert not book.users.set_password("id-17", "new", 5, "ann")


def test_a_stronger_hash_of_the_same_password_ends_nothing(book: SqlAccessBook) -> None:
    book.users.add(a_user(), "hash")
    log_in(book, a_user())
    assert book.users.rehash("id-ann", "hash", "stronger")
    assert not book.users.rehash("id-ann", "hash", "stronger")
    assert is_logged_in(book, a_user())


def test_what_the_provider_says_now_is_kept_and_ends_sessions_where_it_changes_what_they_may(
    book: SqlAccessBook,
) -> None:
    book.users.add(from_provider(), None)
    log_in(book, from_provider())
    renamed = from_provider("anna (oidc)")
    assert book.users.refresh(renamed)
    assert is_logged_in(book, renamed)
    assert book.users.refresh(replace(renamed, role=Role.OPERATOR))
    assert not is_logged_in(book, renamed)
    log_in(book, renamed)
    assert book.users.refresh(replace(renamed, role=Role.OPERATOR, tenants=frozenset({"acme"})))
    assert not is_logged_in(book, renamed)


def test_a_provider_s_new_name_that_is_taken_is_an_answer(book: SqlAccessBook) -> None:
    book.users.add(from_provider(), None)
    book.users.add(from_provider("bob (oidc)", "18"), None)
    assert not book.users.refresh(replace(from_provider("bob (oidc)"), role=Role.ADMIN))
    assert book.users.external("https://idp.example", "17") == from_provider()
