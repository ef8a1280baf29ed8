"""Users of identity providers, seen through the gate."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from access.contract import Identity, LogInRefusedError
from tests.access.conftest import ADDRESS, World, an_identity
from vocabulary.access import Role


def log_in(world: World, identity: Identity) -> str:
    return world.room.gate.log_in_external(identity, ADDRESS).cookie


def turned_away(world: World, identity: Identity) -> str:
    with pytest.raises(LogInRefusedError) as refusal:
        world.room.gate.log_in_external(identity, ADDRESS)
    return str(refusal.value)


def test_the_first_log_in_makes_the_user_and_later_ones_refresh_what_they_may(world: World) -> None:
    first = log_in(world, an_identity())
    (user,) = world.room.administration.users()
    assert (user.name, user.role, user.tenants, user.issuer) == ("ann (oidc)", Role.VIEWER, None, "https://idp.example")
    again = log_in(world, an_identity())
    assert world.is_in(first)
    third = log_in(world, an_identity("Anna", Role.OPERATOR, frozenset({"acme"}), subject="subject of Ann"))
    assert [world.is_in(cookie) for cookie in (first, again, third)] == [False, False, True]
    (changed,) = world.room.administration.users()
    assert changed.id == user.id
    assert (changed.name, changed.role, changed.tenants) == ("anna (oidc)", Role.OPERATOR, frozenset({"acme"}))


def test_a_provider_s_session_replaces_the_browser_s_old_one(world: World) -> None:
    old = log_in(world, an_identity("Mallory"))
    new = world.room.gate.log_in_external(an_identity(), ADDRESS, old).cookie
    assert not world.is_in(old)
    assert world.is_in(new)


@pytest.mark.parametrize(
    "identity",
    [
        an_identity(role=None),
        an_identity(role=Role.ADMIN, tenants=frozenset({"acme"})),
        an_identity(role=Role.INGEST, tenants=frozenset({"acme"})),
        an_identity(tenants=frozenset({""})),
        an_identity(subject="x" * 256),
        an_identity(subject="a\0"),
        an_identity(issuer="x" * 256),
    ],
)
def test_who_maps_to_nothing_is_turned_away_and_not_remembered(world: World, identity: Identity) -> None:
    assert turned_away(world, identity) == "This account may not log in here; an administrator of Peakline can say why."
    assert world.room.administration.users() == []


def test_who_maps_to_nothing_any_more_is_turned_away(world: World) -> None:
    log_in(world, an_identity())
    assert turned_away(world, an_identity(role=None))


def test_a_disabled_user_of_a_provider_stays_out(world: World) -> None:
    cookie = log_in(world, an_identity())
    (user,) = world.room.administration.users()
    world.room.administration.change_user(user.id, "test", is_disabled=True)
    assert not world.is_in(cookie)
    assert turned_away(world, an_identity(role=Role.ADMIN))
    assert world.room.administration.users()[0].role is Role.VIEWER
    world.room.administration.change_user(user.id, "test", is_disabled=False)
    assert world.is_in(log_in(world, an_identity()))


def test_a_provider_s_user_is_another_than_the_local_one_of_the_same_name(world: World) -> None:
    local = world.user("ann")
    cookie = log_in(world, an_identity("ann"))
    found = world.room.gate.by_session(cookie)
    assert found is not None
    assert (found.principal.name, found.principal.role) == ("ann (oidc)", Role.VIEWER)
    assert found.principal.id != local.id
    assert world.is_in(world.log_in("ann"))


def test_two_people_of_one_name_are_two_users_and_the_same_ones_each_time(world: World) -> None:
    people = [an_identity(subject="1"), an_identity(subject="2"), an_identity(subject="1", issuer="https://b.example")]
    for _ in range(2):
        for identity in people:
            log_in(world, identity)
    users = world.room.administration.users()
    assert len(users) == 3
    assert len({user.name for user in users}) == 3
    assert all(user.name.startswith("ann (oidc") for user in users)


def test_a_name_that_a_provider_moves_to_another_person_follows(world: World) -> None:
    log_in(world, an_identity("ann", subject="1"))
    log_in(world, an_identity("ann", subject="2"))
    log_in(world, an_identity("anna", subject="1"))
    log_in(world, an_identity("ann", subject="2"))
    assert {user.subject: user.name for user in world.room.administration.users()} == {
        "1": "anna (oidc)",
        "2": "ann (oidc)",
    }


def test_no_password_opens_a_provider_s_account(world: World) -> None:
    log_in(world, an_identity())
    for name in ("ann", "ann (oidc)"):
        with pytest.raises(LogInRefusedError):
            world.room.gate.log_in(name, "", ADDRESS)


def test_a_first_log_in_from_two_browsers_at_once_makes_one_user(world: World) -> None:
    barrier = threading.Barrier(2)

    def enter(_: int) -> str:
        barrier.wait(20)
        return log_in(world, an_identity())

    with ThreadPoolExecutor(2) as pool:
        cookies = list(pool.map(enter, range(2)))
    assert all(world.is_in(cookie) for cookie in cookies)
    assert len(world.room.administration.users()) == 1
