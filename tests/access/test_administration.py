import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from access.contract import AccessError, LogInRefusedError
from access.settings import AccessSettings, ThrottleSettings
from store.control.access_records import StoredUser
from store.control.open import Control
from tests.access.conftest import ADDRESS, PASSWORD, CountingHasher, World, an_identity
from vocabulary.access import Role

NEW = "another long password"


@pytest.fixture
def any_world(build: Callable[..., World], request: pytest.FixtureRequest) -> World:
    return build(request.getfixturevalue(request.param))


on_both = pytest.mark.parametrize("any_world", ["control", "shared_control"], indirect=True)


def refusal(question: Callable[[], object]) -> str:
    with pytest.raises(AccessError) as found:
        question()
    return str(found.value)


# --- tokens ---


@on_both
def test_tokens_are_listed_newest_first_and_without_secrets(any_world: World) -> None:
    administration = any_world.room.administration
    one, text = administration.create_token(" ci ", Role.INGEST, None, None, "ann")
    two, _ = administration.create_token("report", Role.VIEWER, frozenset({"acme"}), any_world.clock() + 10**10, "ann")
    assert list(administration.tokens()) == [two, one]
    assert (one.name, one.created_by, one.id) == ("ci", "ann", text[4:16])
    assert text[17:] not in repr(administration.tokens())


@on_both
def test_revoking_twice_is_no_error(any_world: World) -> None:
    administration = any_world.room.administration
    token, _ = administration.create_token("ci", Role.INGEST, None, None, "ann")
    first = administration.revoke_token(token.id, "ann")
    assert first.revoked_ns is not None
    assert administration.revoke_token(token.id, "bob") == first


def test_a_token_that_cannot_be_is_refused_in_words(world: World) -> None:
    create = world.room.administration.create_token
    now = world.clock()
    assert "needs a name" in refusal(lambda: create(" ", Role.VIEWER, None, None, "ann"))
    assert "expired already" in refusal(lambda: create("ci", Role.VIEWER, None, now, "ann"))
    assert "role ingest" in refusal(lambda: create("ci", Role.INGEST, frozenset({"acme"}), None, "ann"))
    assert "role admin" in refusal(lambda: create("ci", Role.ADMIN, frozenset(), None, "ann"))
    assert world.room.administration.tokens() == []
    assert "No token has the id 'pkl_aaaaaaaa'" in refusal(
        lambda: world.room.administration.revoke_token("pkl_" + "a" * 56, "ann")
    )


# --- users ---


@on_both
def test_users_are_listed_by_name(any_world: World) -> None:
    for name in ("Zoe", "ann", "张伟"):
        any_world.user(name)
    assert [user.name for user in any_world.room.administration.users()] == ["ann", "zoe", "张伟"]
    assert {user.created_by for user in any_world.room.administration.users()} == {"test"}


def test_a_user_that_cannot_be_is_refused_in_words(world: World) -> None:
    world.user("ann")

    def create(name: str, password: str = PASSWORD, tenants: frozenset[str] | None = None) -> StoredUser:
        return world.room.administration.create_user(name, Role.ADMIN, tenants, password, "test")

    assert refusal(lambda: create("ＡＮＮ")) == "There is a user ann already."
    assert "letters, digits" in refusal(lambda: create("a b"))
    assert "too short" in refusal(lambda: create("bob", "short"))
    assert "user's name" in refusal(lambda: create("Bob.Builder-1", "bob.builder-1"))
    assert "role admin" in refusal(lambda: create("bob", tenants=frozenset({"acme"})))
    assert [user.name for user in world.room.administration.users()] == ["ann"]


class Meeting(CountingHasher):
    """Both hash before either goes on, so that both find the name free."""

    def __init__(self) -> None:
        super().__init__()
        self.barrier = threading.Barrier(1)

    def hash(self, password: str, /) -> str:
        self.barrier.wait(20)
        return super().hash(password)


@pytest.mark.parametrize("kind", ["control", "shared_control"])
def test_two_who_make_the_same_user_at_once_get_one_user_and_one_sentence(
    build: Callable[..., World], kind: str, request: pytest.FixtureRequest
) -> None:
    hasher = Meeting()
    control: Control = request.getfixturevalue(kind)
    world = build(control, hasher=hasher)
    hasher.barrier = threading.Barrier(2)

    def create(name: str) -> str:
        try:
            return world.user(name).name
        except AccessError as fault:
            return str(fault)

    with ThreadPoolExecutor(2) as pool:
        told = sorted(pool.map(create, ["ann", "Ann"]))
    assert told == ["There is a user ann already.", "ann"]
    assert [user.name for user in world.room.administration.users()] == ["ann"]


@on_both
@pytest.mark.parametrize(
    "change",
    [
        {"role": Role.OPERATOR},
        {"tenants": {"tenants": frozenset({"acme"})}},
        {"tenants": {"tenants": None}},
        {"is_disabled": True},
        {"role": Role.AUDITOR, "tenants": {"tenants": frozenset[str]()}, "is_disabled": False},
    ],
    ids=str,
)
def test_a_change_of_what_a_user_may_ends_their_sessions(any_world: World, change: dict[str, object]) -> None:
    any_world.user("admin2")
    user = any_world.user("ann", Role.VIEWER, frozenset({"b"}))
    cookie, other = any_world.log_in("ann"), any_world.log_in("admin2")
    changed = any_world.room.administration.change_user(user.id, "test", **change)  # type: ignore[arg-type]  # a case of a table
    assert not any_world.is_in(cookie)
    assert any_world.is_in(other)
    assert changed.role == change.get("role", Role.VIEWER)
    wanted = change.get("tenants", {"tenants": frozenset({"b"})})
    assert isinstance(wanted, dict)
    assert changed.tenants == wanted["tenants"]
    assert changed.is_disabled is change.get("is_disabled", False)


def test_a_log_in_after_the_change_has_the_new_role(world: World) -> None:
    user = world.user("ann", Role.VIEWER)
    world.room.administration.change_user(user.id, "test", role=Role.ADMIN)
    found = world.room.gate.by_session(world.log_in())
    assert found is not None
    assert found.principal.role is Role.ADMIN


@on_both
def test_the_last_admin_cannot_be_disabled_demoted_or_removed(any_world: World) -> None:
    administration = any_world.room.administration
    user = any_world.user("ann")
    any_world.user("bob", Role.OPERATOR)
    cookie = any_world.log_in()
    for question in (
        lambda: administration.change_user(user.id, "ann", role=Role.VIEWER),
        lambda: administration.change_user(user.id, "ann", is_disabled=True),
        lambda: administration.delete_user(user.id, "ann"),
    ):
        assert "ann is the last admin" in refusal(question)
    assert "role admin" in refusal(
        lambda: administration.change_user(user.id, "ann", tenants={"tenants": frozenset({"acme"})})
    )
    assert any_world.is_in(cookie)
    any_world.user("second")
    administration.change_user(user.id, "ann", role=Role.VIEWER)
    administration.delete_user(user.id, "ann")


def test_a_disabled_admin_is_not_another_admin(world: World) -> None:
    user, other = world.user("ann"), world.user("bob")
    world.room.administration.change_user(other.id, "test", is_disabled=True)
    assert "last admin" in refusal(lambda: world.room.administration.delete_user(user.id, "ann"))


def test_a_provider_s_admin_is_another_admin(world: World) -> None:
    user = world.user("ann")
    world.room.gate.log_in_external(an_identity("Eve", Role.ADMIN), ADDRESS)
    world.room.administration.delete_user(user.id, "ann")
    assert [user.name for user in world.room.administration.users()] == ["eve (oidc)"]


def test_what_the_provider_says_is_not_changed_here(world: World) -> None:
    world.room.gate.log_in_external(an_identity(), ADDRESS)
    (user,) = world.room.administration.users()
    administration = world.room.administration
    assert "identity provider" in refusal(lambda: administration.change_user(user.id, "test", role=Role.ADMIN))
    assert "identity provider" in refusal(lambda: administration.change_user(user.id, "x", tenants={"tenants": None}))
    assert "identity provider" in refusal(lambda: administration.set_password(user.id, NEW, "test"))
    assert "identity provider" in refusal(lambda: administration.change_own_password(user.id, "", NEW, ADDRESS))


def test_a_removed_user_is_out_at_once_and_their_name_is_free(world: World) -> None:
    world.user("admin2")
    user = world.user("ann")
    cookie = world.log_in()
    world.room.administration.delete_user(user.id, "test")
    assert not world.is_in(cookie)
    with pytest.raises(LogInRefusedError):
        world.log_in()
    again = world.user("ann", Role.VIEWER)
    assert again.id != user.id
    assert not world.is_in(cookie)


def test_who_does_not_exist_is_told(world: World) -> None:
    administration = world.room.administration
    for question in (
        lambda: administration.change_user("nobody", "test", role=Role.VIEWER),
        lambda: administration.set_password("nobody", NEW, "test"),
        lambda: administration.change_own_password("nobody", PASSWORD, NEW, ADDRESS),
        lambda: administration.delete_user("nobody", "test"),
    ):
        assert refusal(question) == "No user has the id 'nobody'."


# --- passwords ---


def test_a_new_password_ends_sessions_and_replaces_the_old_one(world: World) -> None:
    user = world.user()
    cookie = world.log_in()
    assert "too short" in refusal(lambda: world.room.administration.set_password(user.id, "short", "test"))
    assert world.is_in(cookie)
    world.room.administration.set_password(user.id, NEW, "test")
    assert not world.is_in(cookie)
    with pytest.raises(LogInRefusedError):
        world.log_in()
    assert world.room.gate.log_in("ann", NEW, ADDRESS).principal.id == user.id


def test_who_knows_the_old_password_changes_their_own(world: World) -> None:
    user = world.user()
    cookie = world.log_in()
    administration = world.room.administration
    assert "too short" in refusal(lambda: administration.change_own_password(user.id, PASSWORD, "short", ADDRESS))
    with pytest.raises(LogInRefusedError, match="old password is wrong"):
        administration.change_own_password(user.id, "wrong", NEW, ADDRESS)
    assert world.is_in(cookie)
    administration.change_own_password(user.id, PASSWORD, NEW, ADDRESS)
    assert not world.is_in(cookie)
    assert world.room.gate.log_in("ann", NEW, ADDRESS).principal.id == user.id


def test_guessing_the_old_password_counts_as_log_in_attempts(build: Callable[..., World], control: Control) -> None:
    world = build(control, AccessSettings(throttle=ThrottleSettings(attempts=3)))
    user = world.user()
    for number in range(3):
        with pytest.raises(LogInRefusedError, match="old password"):
            world.room.administration.change_own_password(user.id, f"wrong {number}", NEW, ADDRESS)
    verified = world.hasher.verified
    with pytest.raises(LogInRefusedError, match="Too many attempts") as limited:
        world.room.administration.change_own_password(user.id, PASSWORD, NEW, ADDRESS)
    assert limited.value.retry_after_s is not None
    with pytest.raises(LogInRefusedError, match="Too many attempts"):
        world.log_in()
    assert world.hasher.verified == verified


def test_a_disabled_user_changes_no_password(world: World) -> None:
    world.user("admin2")
    user = world.user("ann")
    world.room.administration.change_user(user.id, "test", is_disabled=True)
    with pytest.raises(LogInRefusedError):
        world.room.administration.change_own_password(user.id, PASSWORD, NEW, ADDRESS)
