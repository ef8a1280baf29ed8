import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from click.testing import CliRunner, Result

from access.contract import LogInRefusedError
from access.room import AccessRoom, open_room
from access.settings import AccessSettings
from peakline_server.users import users
from store.control.access_book import SqlAccessBook
from store.control.open import open_control
from tests.access.conftest import ADDRESS, PASSWORD, CountingHasher, an_identity
from vocabulary.access import Role

NEW = "another long password"


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands hash for real, with the least parameters."""
    monkeypatch.setattr("access.passwords.PasswordHasher", lambda: PasswordHasher(1, 8, 1))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[AccessRoom]:
    """What a running server has open."""
    control = open_control(f"sqlite:///{tmp_path / 'control.sqlite'}")
    yield open_room(SqlAccessBook(control.engine), time.time_ns, AccessSettings(), CountingHasher())
    control.close()


def run(folder: Path, *words: str, typed: str | None = None) -> Result:
    return CliRunner(env={"PEAKLINE_SERVER_DATA": str(folder)}).invoke(users, [*words], input=typed)


def create(folder: Path, name: str = "ann", role: str = "admin", *words: str) -> Result:
    return run(folder, "create", name, "--role", role, "--password-file", "-", *words, typed=f"{PASSWORD}\n")


def can_log_in(server: AccessRoom, name: str = "ann", password: str = PASSWORD) -> bool:
    try:
        server.gate.log_in(name, password, ADDRESS)
    except LogInRefusedError:
        return False
    return True


def test_a_first_user_may_be_made_before_the_first_start(tmp_path: Path) -> None:
    result = create(tmp_path)
    assert (result.exit_code, result.stdout) == (0, "User ann may log in as admin, tenants: all.\n")
    assert (tmp_path / "control.sqlite").stat().st_mode & 0o777 == 0o600


def test_a_user_made_while_a_server_runs_logs_in_there(tmp_path: Path, server: AccessRoom) -> None:
    result = create(tmp_path, "Ann", "viewer", "--tenant", "acme", "--json")
    told = json.loads(result.stdout)
    assert (told["name"], told["role"], told["tenants"]) == ("ann", "viewer", ["acme"])
    assert (told["kind"], told["created_by"]) == ("local", "command line")
    assert PASSWORD not in result.output
    assert can_log_in(server)
    assert [json.loads(run(tmp_path, "list", "--json").stdout)[0]["id"]] == [told["id"]]


def test_the_password_is_asked_for_twice_and_not_shown(tmp_path: Path, server: AccessRoom) -> None:
    result = run(tmp_path, "create", "ann", "--role", "admin", typed=f"{PASSWORD}\n{PASSWORD}\n")
    assert result.exit_code == 0
    assert result.stdout == "User ann may log in as admin, tenants: all.\n"
    assert PASSWORD not in result.output
    assert can_log_in(server)


def test_two_passwords_that_differ_make_no_user(tmp_path: Path, server: AccessRoom) -> None:
    result = run(tmp_path, "create", "ann", "--role", "admin", typed=f"{PASSWORD}\n{NEW}\n")
    assert result.exit_code == 2
    assert result.stderr.endswith("peakline: Nothing was changed: no answer was given.\n")
    assert server.administration.users() == []


@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
def test_the_password_is_read_from_a_file_without_its_last_line_break(
    tmp_path: Path, server: AccessRoom, ending: str
) -> None:
    (tmp_path / "secret").write_bytes(f" {PASSWORD} {ending}".encode())
    result = run(tmp_path, "create", "ann", "--role", "admin", "--password-file", str(tmp_path / "secret"))
    assert result.exit_code == 0
    assert can_log_in(server, password=f" {PASSWORD} ")


def test_a_byte_order_mark_is_no_part_of_a_password(tmp_path: Path, server: AccessRoom) -> None:
    (tmp_path / "secret").write_bytes(b"\xef\xbb\xbf" + PASSWORD.encode())
    run(tmp_path, "create", "ann", "--role", "admin", "--password-file", str(tmp_path / "secret"))
    assert can_log_in(server)


@pytest.mark.parametrize(
    ("content", "reason"), [(b"short", "too short"), (b"\xff" * 20, "no UTF-8 text"), (b"x" * 20_000, "too long")]
)
def test_a_file_without_a_usable_password_makes_no_user(
    tmp_path: Path, server: AccessRoom, content: bytes, reason: str
) -> None:
    (tmp_path / "secret").write_bytes(content)
    result = run(tmp_path, "create", "ann", "--role", "admin", "--password-file", str(tmp_path / "secret"))
    assert result.exit_code == 2
    assert reason in result.stderr
    assert server.administration.users() == []


def test_a_user_that_is_there_already_is_told(tmp_path: Path, server: AccessRoom) -> None:
    create(tmp_path)
    result = create(tmp_path, "ANN", "viewer", "--json")
    assert (result.exit_code, json.loads(result.stdout)) == (2, {"error": "There is a user ann already."})
    assert server.administration.users()[0].role is Role.ADMIN


def test_the_list_shows_what_each_may(tmp_path: Path, server: AccessRoom) -> None:
    create(tmp_path, "ann")
    create(tmp_path, "bob", "viewer", "--tenant", "b", "--tenant", "a")
    server.gate.log_in_external(an_identity("Eve"), ADDRESS)
    run(tmp_path, "disable", "bob")
    lines = run(tmp_path, "list").stdout.splitlines()
    assert lines[0].split() == ["name", "id", "kind", "role", "tenants", "state", "last", "log-in"]
    assert lines[1].split()[0::2] == ["ann", "local", "all", "never"]
    assert lines[2].split()[2:] == ["local", "viewer", "a,", "b", "disabled", "never"]
    assert lines[3].startswith("eve (oidc)")
    assert "never" not in lines[3]


def test_a_new_password_ends_sessions_at_a_running_server(tmp_path: Path, server: AccessRoom) -> None:
    create(tmp_path)
    cookie = server.gate.log_in("ann", PASSWORD, ADDRESS).cookie
    result = run(tmp_path, "set-password", "Ann", "--password-file", "-", typed=NEW)
    assert result.stdout == "User ann has a new password; their sessions ended.\n"
    assert server.gate.by_session(cookie) is None
    assert not can_log_in(server)
    assert can_log_in(server, password=NEW)


def test_a_role_is_changed_and_tenants_stay_unless_they_are_given(tmp_path: Path, server: AccessRoom) -> None:
    create(tmp_path, "bob", "viewer", "--tenant", "acme")

    def after(*words: str) -> tuple[str, frozenset[str] | None]:
        assert run(tmp_path, "set-role", "bob", *words).exit_code == 0
        (user,) = server.administration.users()
        return user.role, user.tenants

    assert after("--role", "operator") == ("operator", frozenset({"acme"}))
    assert after("--role", "viewer", "--tenant", "b") == ("viewer", frozenset({"b"}))
    assert after("--role", "admin", "--all-tenants") == ("admin", None)
    both = run(tmp_path, "set-role", "bob", "--role", "viewer", "--tenant", "b", "--all-tenants")
    assert (both.exit_code, "not both" in both.stderr) == (2, True)


def test_a_disabled_user_is_out_until_enabled(tmp_path: Path, server: AccessRoom) -> None:
    create(tmp_path, "admin2")
    create(tmp_path)
    cookie = server.gate.log_in("ann", PASSWORD, ADDRESS).cookie
    assert run(tmp_path, "disable", "ann").exit_code == 0
    assert server.gate.by_session(cookie) is None
    assert not can_log_in(server)
    assert json.loads(run(tmp_path, "enable", "ann", "--json").stdout)["is_disabled"] is False
    assert can_log_in(server)


def test_a_removed_user_is_out(tmp_path: Path, server: AccessRoom) -> None:
    create(tmp_path, "admin2")
    create(tmp_path)
    (user_id,) = [user.id for user in server.administration.users() if user.name == "ann"]
    assert run(tmp_path, "delete", user_id).stdout == "User ann is removed.\n"
    assert not can_log_in(server)


def test_a_provider_s_user_is_named_as_listed(tmp_path: Path, server: AccessRoom) -> None:
    server.gate.log_in_external(an_identity("Eve"), ADDRESS)
    assert run(tmp_path, "disable", "eve (oidc)").exit_code == 0
    result = run(tmp_path, "set-role", "eve (oidc)", "--role", "admin")
    assert (result.exit_code, "identity provider" in result.stderr) == (2, True)


def test_the_last_admin_stays(tmp_path: Path, server: AccessRoom) -> None:
    create(tmp_path)
    for words in (("delete", "ann"), ("disable", "ann"), ("set-role", "ann", "--role", "viewer")):
        result = run(tmp_path, *words)
        assert (result.exit_code, "ann is the last admin" in result.stderr) == (2, True)
    assert can_log_in(server)


def test_who_does_not_exist_is_told(tmp_path: Path, server: AccessRoom) -> None:
    for words in (
        ("delete", "bob"),
        ("disable", "bob"),
        ("enable", "bob"),
        ("set-role", "bob", "--role", "viewer"),
        ("set-password", "bob", "--password-file", "-"),
    ):
        result = run(tmp_path, *words, typed=NEW)
        assert result.exit_code == 2
        assert result.stderr == "peakline: There is no user 'bob'; `peakline users list` tells who there is.\n"
