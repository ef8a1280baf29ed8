from access.contract import Gate
from access.room import administration_of, open_room
from access.settings import AccessSettings
from store.control.access_book import SqlAccessBook
from store.control.open import Control
from tests.access.conftest import PASSWORD, CountingHasher, World
from tests.conftest import CountingClock
from vocabulary.access import Role


def test_the_room_keeps_the_contract(world: World) -> None:
    gate: Gate = world.room.gate
    administration = world.room.administration
    token, text = administration.create_token("ci", Role.VIEWER, None, None, "test")
    principal = gate.by_token(text)
    assert principal is not None
    assert principal.id == token.id


def test_starting_costs_one_hash_and_administration_alone_none(control: Control, clock: CountingClock) -> None:
    hasher = CountingHasher()
    book = SqlAccessBook(control.engine)
    administration = administration_of(book, clock, AccessSettings(), hasher)
    assert hasher.hashed == 0
    administration.create_user("ann", Role.ADMIN, None, PASSWORD, "test")
    room = open_room(book, clock, AccessSettings(), hasher)
    assert hasher.hashed == 2
    assert room.gate.log_in("ann", PASSWORD, "").principal.name == "ann"
