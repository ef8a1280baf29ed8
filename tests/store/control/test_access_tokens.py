import pytest

from store.control.access_records import StoredToken
from store.control.access_tokens import TokenBook
from store.control.open import Control
from vocabulary.access import Role


@pytest.fixture
def book(any_control: Control) -> TokenBook:
    return TokenBook(any_control.engine)


def a_token(token_id: str = "a" * 12, created_ns: int = 2**62, tenants: frozenset[str] | None = None) -> StoredToken:
    return StoredToken(token_id, "网关 'quoted'", Role.VIEWER, tenants, created_ns, "ann", expires_ns=2**62 + 1)


@pytest.mark.parametrize("tenants", [None, frozenset[str](), frozenset({"acme", "b'\"租户"})])
def test_a_token_reads_back_as_it_was(book: TokenBook, tenants: frozenset[str] | None) -> None:
    book.add(a_token(tenants=tenants), "d" * 64)
    assert book.found("a" * 12) == (a_token(tenants=tenants), "d" * 64)
    assert book.found("b" * 12) is None


def test_tokens_come_newest_first(book: TokenBook) -> None:
    for number, token_id in enumerate(("first", "third", "second")):
        book.add(a_token(token_id, created_ns=[1, 3, 2][number]), "d" * 64)
    assert [token.id for token in book.all()] == ["third", "second", "first"]


def test_the_first_revocation_is_the_one_that_is_kept(book: TokenBook) -> None:
    book.add(a_token(), "d" * 64)
    book.add(a_token("other"), "d" * 64)
    for at_ns in (5, 9):
        revoked = book.revoke("a" * 12, at_ns, "ann")
        assert revoked is not None
        assert revoked.revoked_ns == 5
    assert book.revoke("nobody", 5, "ann") is None
    assert [token.revoked_ns for token in book.all() if token.id == "other"] == [None]


def test_the_last_use_only_moves_forward(book: TokenBook) -> None:
    book.add(a_token(), "d" * 64)
    for at_ns in (7, 9, 8):
        book.mark_used("a" * 12, at_ns)
    assert [token.last_used_ns for token in book.all()] == [9]
