import pytest

from access.web.oidc_ticket import TicketBox, new_ticket

KEY = b"k" * 32
START_NS = 1_760_000_000_000_000_000


def _box(at_s: int = 0, key: bytes = KEY) -> TicketBox:
    return TicketBox(key, lambda: START_NS + at_s * 1_000_000_000)


def test_a_ticket_comes_back_as_it_was() -> None:
    ticket = new_ticket("/requests?x=1")
    assert _box(599).open(_box().seal(ticket)) == ticket


def test_two_tickets_share_no_secret() -> None:
    first, second = new_ticket("/"), new_ticket("/")
    assert len({first.state, first.nonce, first.verifier, second.state, second.nonce, second.verifier}) == 6
    assert min(map(len, (first.state, first.nonce, first.verifier))) >= 43


def test_a_ticket_shows_none_of_its_secrets() -> None:
    ticket = new_ticket("/")
    sealed = _box().seal(ticket)
    assert not [secret for secret in (ticket.state, ticket.nonce, ticket.verifier) if secret in sealed]


@pytest.mark.parametrize("at_s", [601, -120])
def test_a_ticket_ends_after_ten_minutes_and_does_not_come_from_the_future(at_s: int) -> None:
    assert _box(at_s).open(_box().seal(new_ticket("/"))) is None


def test_nobody_else_can_make_or_change_one() -> None:
    sealed = _box().seal(new_ticket("/"))
    assert _box(key=b"x" * 32).open(sealed) is None
    assert _box().open(sealed[:-10] + "A" * 10) is None
    for text in ("", "x", "é", "gAAAA", "=" * 5000):
        assert _box().open(text) is None
