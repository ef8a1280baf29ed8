import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import event, text

from access.contract import LogInRefusedError
from access.settings import AccessSettings, ThrottleSettings
from access.token_text import digest_of, new_secret, new_token, token_text
from store.control.open import Control, open_control
from store.control.tables import CONTROL
from tests.access.conftest import ADDRESS, PASSWORD, CountingHasher, World, an_identity
from vocabulary.access import PrincipalKind, Role
from vocabulary.errors import StoreUnavailableError

ROOT = Path(__file__).resolve().parents[2]
DAY_S = 86_400


def refused(world: World, name: str, password: str, address: str = ADDRESS) -> str:
    with pytest.raises(LogInRefusedError) as refusal:
        world.room.gate.log_in(name, password, address)
    return str(refusal.value)


# --- tokens ---


def a_token(world: World, role: Role = Role.VIEWER, lasts_s: int | None = None) -> tuple[str, str]:
    """Id and text."""
    end = None if lasts_s is None else world.clock() + lasts_s * 10**9
    token, found = world.room.administration.create_token("ci", role, None, end, "test")
    return token.id, found


def test_a_token_says_who_it_is(world: World) -> None:
    tenants = frozenset({"acme"})
    token, found = world.room.administration.create_token("ci", Role.VIEWER, tenants, None, "test")
    principal = world.room.gate.by_token(found)
    assert principal is not None
    assert (principal.kind, principal.id, principal.name) == (PrincipalKind.TOKEN, token.id, "ci")
    assert (principal.role, principal.tenants) == (Role.VIEWER, tenants)


def test_a_wrong_secret_an_unknown_id_and_no_token_at_all_are_nobody(world: World) -> None:
    token_id, found = a_token(world)
    other_id, _ = a_token(world)
    other = found[:-1] + ("A" if found[-1] != "A" else "B")
    for wrong in (other, token_text(token_id, new_secret()), token_text(*new_token()), found[:-1], "", found * 99_999):
        assert world.room.gate.by_token(wrong) is None
    assert world.room.gate.by_token(found.replace(token_id, other_id)) is None
    assert world.room.gate.by_token(found) is not None


def test_unknown_ids_cost_the_same_comparison(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[str, str]] = []

    def note(one: str, other: str) -> bool:
        compared.append((one, other))
        return one == other

    monkeypatch.setattr("access.gate.is_same", note)
    world.room.gate.by_token(token_text(*new_token()))
    token_id, _ = a_token(world)
    world.room.gate.by_token(token_text(token_id, new_secret()))
    assert [len(one) == len(other) == 64 for one, other in compared] == [True, True]


def test_a_token_ends_at_its_end(world: World) -> None:
    _, found = a_token(world, lasts_s=100)
    assert world.room.gate.by_token(found) is not None
    world.wait(100)
    assert world.room.gate.by_token(found) is None


def test_a_revoked_token_is_refused_by_the_next_request(world: World) -> None:
    token_id, found = a_token(world)
    _, other = a_token(world)
    assert world.room.gate.by_token(found) is not None
    world.room.administration.revoke_token(token_id, "test")
    assert world.room.gate.by_token(found) is None
    assert world.room.gate.by_token(other) is not None


def test_a_token_that_another_process_revokes_is_refused_by_the_next_request(
    tmp_path: Path, build: Callable[..., World]
) -> None:
    control = open_control(f"sqlite:///{tmp_path / 'control.sqlite'}")
    world = build(control)
    token_id, found = a_token(world)
    assert world.room.gate.by_token(found) is not None
    program = "from peakline_server.tokens import tokens; tokens()"
    subprocess.run(
        [sys.executable, "-c", program, "revoke", token_id, "--data", str(tmp_path)], check=True, cwd=ROOT, timeout=60
    )
    assert world.room.gate.by_token(found) is None
    control.close()


@pytest.fixture
def second_control(postgresql_url: str, shared_control: Control) -> Iterator[Control]:
    control = open_control(postgresql_url)
    yield control
    control.close()


def test_two_servers_on_one_database_see_one_another_s_revocations(
    build: Callable[..., World], shared_control: Control, second_control: Control
) -> None:
    here, there = build(shared_control), build(second_control)
    token_id, found = a_token(here)
    user = here.user("ann", Role.VIEWER)
    cookies = [here.log_in(), there.log_in()]
    for world in (here, there):
        assert world.room.gate.by_token(found) is not None
        assert all(world.is_in(cookie) for cookie in cookies)
    there.room.administration.revoke_token(token_id, "test")
    assert here.room.gate.by_token(found) is None
    there.room.gate.log_out(cookies[0])
    assert [here.is_in(cookie) for cookie in cookies] == [False, True]
    here.room.administration.change_user(user.id, "test", is_disabled=True)
    assert not there.is_in(cookies[1])
    assert refused(there, "ann", PASSWORD)


def test_the_last_use_is_at_most_a_minute_behind(world: World) -> None:
    _, found = a_token(world)

    def last_used() -> int | None:
        return world.room.administration.tokens()[0].last_used_ns

    assert last_used() is None
    world.room.gate.by_token(found)
    first = last_used()
    world.room.gate.by_token(found)
    assert last_used() == first
    world.wait(60)
    world.room.gate.by_token(found)
    assert last_used() == world.clock.at_ns


@pytest.fixture
def read_only(control: Control) -> Callable[[], None]:
    """From then on nothing can be written."""

    def refuse_writes(connection: object, *_: object) -> None:
        connection.execute("PRAGMA query_only=ON").close()  # type: ignore[attr-defined]  # a sqlite3 connection

    def switch() -> None:
        control.engine.dispose()
        event.listen(control.engine, "connect", refuse_writes)

    return switch


def test_who_may_come_in_does_so_when_the_use_cannot_be_written(world: World, read_only: Callable[[], None]) -> None:
    world.user()
    _, found = a_token(world)
    cookie = world.log_in()
    world.wait(120)
    read_only()
    with pytest.raises(StoreUnavailableError):
        world.book.tokens.mark_used("x", 1)
    assert world.room.gate.by_token(found) is not None
    assert world.is_in(cookie)


def test_nobody_comes_in_while_the_database_cannot_be_asked(world: World, control: Control) -> None:
    world.user()
    _, found = a_token(world)
    cookie = world.log_in()
    CONTROL.drop_all(control.engine)
    for question in (lambda: world.room.gate.by_token(found), lambda: world.is_in(cookie), world.log_in):
        with pytest.raises(StoreUnavailableError):
            question()


# --- sessions ---


def test_a_session_says_who_it_is_and_how_long(world: World) -> None:
    user = world.user("ann", Role.VIEWER, frozenset({"acme"}))
    opened = world.room.gate.log_in("Ann ", PASSWORD, ADDRESS)
    found = world.room.gate.by_session(opened.cookie)
    assert found is not None
    assert found == replace(opened, cookie="", max_age_s=found.max_age_s)
    assert (opened.max_age_s, found.max_age_s) == (12 * 3600, 12 * 3600 - 1)
    principal = found.principal
    assert (principal.kind, principal.id, principal.name) == (PrincipalKind.USER, user.id, "ann")
    assert (principal.role, principal.tenants) == (Role.VIEWER, frozenset({"acme"}))
    assert len(opened.csrf) == 43
    assert opened.csrf != opened.cookie


def test_neither_cookies_nor_tokens_nor_passwords_are_in_the_database(world: World, control: Control) -> None:
    world.user()
    _, found = a_token(world)
    cookie = world.log_in()
    with control.engine.connect() as connection:
        rows = [
            str(row)
            for table in ("access_tokens", "access_users", "access_sessions")
            for row in connection.execute(text(f"SELECT * FROM {table}"))
        ]
    assert len(rows) == 3
    for secret in (found[17:], cookie, PASSWORD):
        assert not any(secret in row for row in rows)
    assert not world.is_in(digest_of(cookie))


def test_a_cookie_that_was_planted_before_the_log_in_opens_nothing_after_it(world: World) -> None:
    world.user("ann")
    world.user("mallory", Role.VIEWER)
    planted, made_up = world.log_in("mallory"), new_secret()
    for old in (planted, made_up):
        mine = world.log_in("ann", old)
        assert mine != old
        assert not world.is_in(old)
        assert world.is_in(mine)


def test_every_log_in_has_its_own_cookie_and_csrf_value(world: World) -> None:
    world.user()
    opened = [world.room.gate.log_in("ann", PASSWORD, ADDRESS) for _ in range(5)]
    assert len({one.cookie for one in opened} | {one.csrf for one in opened}) == 10


def test_a_log_in_that_fails_ends_nothing(world: World) -> None:
    world.user()
    cookie = world.log_in()
    with pytest.raises(LogInRefusedError):
        world.room.gate.log_in("ann", "wrong", ADDRESS, cookie)
    assert world.is_in(cookie)


def test_a_cookie_cannot_be_used_after_log_out(world: World) -> None:
    world.user()
    cookie, other = world.log_in(), world.log_in()
    for _ in range(2):
        world.room.gate.log_out(cookie)
    for odd in ("", "x", new_secret(), "é" * 43):
        world.room.gate.log_out(odd)
        assert not world.is_in(odd)
    assert not world.is_in(cookie)
    assert world.is_in(other)


def test_a_session_ends_without_requests(world: World) -> None:
    world.user()
    busy, idle = world.log_in(), world.log_in()
    for _ in range(4):
        world.wait(1900)
        assert world.is_in(busy)
    assert not world.is_in(idle)
    world.wait(7200)
    assert not world.is_in(busy)


def test_a_session_ends_after_its_lifetime_whatever_is_done_in_it(world: World) -> None:
    world.user()
    cookie = world.log_in()
    for _ in range(11):
        world.wait(3500)
        assert world.is_in(cookie)
    world.wait(12 * 3600 - 11 * 3500)
    assert not world.is_in(cookie)


def test_limits_shorter_than_a_minute_hold_too(build: Callable[..., World], control: Control) -> None:
    world = build(control, AccessSettings(session_idle_s=40, session_lifetime_s=200))
    world.user()
    cookie = world.log_in()
    for _ in range(5):
        world.wait(25)
        assert world.is_in(cookie)
    world.wait(40)
    assert not world.is_in(cookie)


def test_the_oldest_session_ends_beyond_the_bound(build: Callable[..., World], control: Control) -> None:
    world = build(control, AccessSettings(sessions_max=2))
    world.user()
    cookies = [world.log_in() for _ in range(3)]
    assert [world.is_in(cookie) for cookie in cookies] == [False, True, True]


def test_ended_sessions_leave_the_database(world: World, control: Control) -> None:
    world.user()
    for _ in range(3):
        world.log_in()
    world.wait(DAY_S)
    world.log_in()
    with control.engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM access_sessions")).scalar() == 1


# --- passwords ---


def test_unknown_disabled_and_provider_s_users_cost_a_verification_and_get_the_same_words(world: World) -> None:
    world.user("admin2")
    disabled = world.user("ann")
    world.room.administration.change_user(disabled.id, "test", is_disabled=True)
    world.room.gate.log_in_external(an_identity("Eve"), ADDRESS)
    told = set()
    for number, (name, password) in enumerate(
        [
            ("nobody", PASSWORD),
            ("ann", PASSWORD),
            ("ann", "wrong"),
            ("admin2", "wrong"),
            ("eve (oidc)", PASSWORD),
            ("eve (oidc)", ""),
            ("", ""),
            ("a/b\0", PASSWORD),
            ("admin2", "x" * 5000),
            ("nobody", "x" * 5000),
        ]
    ):
        before = world.hasher.verified
        told.add(refused(world, name, password, f"192.0.2.{number}"))
        assert world.hasher.verified == before + 1
    assert told == {"The name or the password is wrong, or the account may not log in."}


def test_a_hash_of_old_parameters_is_renewed_at_the_log_in(build: Callable[..., World], control: Control) -> None:
    weak = build(control)
    weak.user()
    cookie = weak.log_in()
    before = weak.book.users.local("ann")
    strong = build(control, hasher=CountingHasher(time_cost=2))
    refused(strong, "ann", "wrong")
    assert strong.book.users.local("ann") == before
    strong.log_in()
    renewed = strong.book.users.local("ann")
    assert before is not None
    assert renewed is not None
    assert "t=1" in str(before[1])
    assert "t=2" in str(renewed[1])
    assert strong.is_in(cookie)
    strong.log_in()
    assert strong.book.users.local("ann") == (replace(renewed[0], last_login_ns=strong.clock.at_ns), renewed[1])


def test_when_limited_not_even_the_right_password_is_looked_at(build: Callable[..., World], control: Control) -> None:
    world = build(control, AccessSettings(throttle=ThrottleSettings(window_s=300, attempts=3)))
    world.user()
    for _ in range(3):
        refused(world, "ANN", "wrong")
    before = world.hasher.verified
    with pytest.raises(LogInRefusedError, match="Too many attempts") as refusal:
        world.log_in()
    assert world.hasher.verified == before
    assert 290 < (refusal.value.retry_after_s or 0) <= 300
    world.wait(refusal.value.retry_after_s or 0)
    assert world.log_in()


def test_unknown_names_are_limited_like_known_ones(build: Callable[..., World], control: Control) -> None:
    world = build(control, AccessSettings(throttle=ThrottleSettings(attempts=3)))
    world.user()
    told = [[refused(world, name, "wrong") for _ in range(4)] for name in ("ann", "nobody")]
    assert "Too many attempts" in told[0][3]
    assert [words.partition(";")[0] for words in told[0]] == [words.partition(";")[0] for words in told[1]]


def test_log_ins_that_succeed_do_not_count(build: Callable[..., World], control: Control) -> None:
    world = build(control, AccessSettings(throttle=ThrottleSettings(attempts=3)))
    world.user()
    for _ in range(20):
        world.log_in()
    assert world.log_in()


def test_an_attempt_that_could_not_be_judged_does_not_count(world: World, control: Control) -> None:
    world.user()
    with control.engine.begin() as connection:
        connection.execute(text("ALTER TABLE access_users RENAME TO away"))
    for _ in range(20):
        with pytest.raises(StoreUnavailableError):
            world.log_in()
    with control.engine.begin() as connection:
        connection.execute(text("ALTER TABLE away RENAME TO access_users"))
    assert world.log_in()
