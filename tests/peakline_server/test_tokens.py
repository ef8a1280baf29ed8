import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from access.room import AccessRoom, open_room
from access.settings import AccessSettings
from peakline_server.tokens import tokens
from store.control.access_book import SqlAccessBook
from store.control.open import open_control
from tests.access.conftest import CountingHasher
from vocabulary.access import Role

DAY_NS = 86_400 * 10**9


def run(folder: Path, *words: str) -> Result:
    return CliRunner(env={"PEAKLINE_SERVER_DATA": str(folder)}).invoke(tokens, [*words])


@pytest.fixture
def server(tmp_path: Path) -> Iterator[AccessRoom]:
    """What a running server has open."""
    control = open_control(f"sqlite:///{tmp_path / 'control.sqlite'}")
    yield open_room(SqlAccessBook(control.engine), time.time_ns, AccessSettings(), CountingHasher())
    control.close()


def test_the_token_alone_is_on_standard_output_and_works_while_a_server_runs(
    tmp_path: Path, server: AccessRoom
) -> None:
    result = run(tmp_path, "create", "gateway", "--role", "ingest")
    assert result.exit_code == 0
    text = result.stdout.removesuffix("\n")
    principal = server.gate.by_token(text)
    assert principal is not None
    assert (principal.name, principal.role, principal.tenants) == ("gateway", Role.INGEST, None)
    assert principal.id in result.stderr
    assert "shown this once" in result.stderr
    assert text not in result.stderr
    assert run(tmp_path, "revoke", principal.id).output == f"Token {principal.id} (gateway) is revoked.\n"
    assert server.gate.by_token(text) is None


def test_a_first_token_may_be_made_before_the_first_start(tmp_path: Path) -> None:
    assert run(tmp_path, "create", "gateway", "--role", "ingest").stdout.startswith("pkl_")
    assert (tmp_path / "control.sqlite").stat().st_mode & 0o777 == 0o600


def test_json_tells_the_token_once(tmp_path: Path, server: AccessRoom) -> None:
    words = ("--role", "viewer", "--tenant", "b", "--tenant", "租户", "--expires", "2099-12-31", "--json")
    told = json.loads(run(tmp_path, "create", "report", *words).stdout)
    assert server.gate.by_token(told["text"]) is not None
    (listed,) = json.loads(run(tmp_path, "list", "--json").stdout)
    assert told["token"] | {"last_used": listed["last_used"]} == listed
    assert (listed["name"], listed["role"], listed["tenants"]) == ("report", "viewer", ["b", "租户"])
    assert (listed["state"], listed["created_by"]) == ("active", "command line")
    assert listed["expires"] == "2099-12-31T00:00:00Z"
    assert told["text"][17:] not in json.dumps(listed)


@pytest.mark.parametrize(("given", "days"), [((), 90), (("--expires", "12h"), 0.5), (("--expires", "8w"), 56)])
def test_a_token_ends_after_a_span(tmp_path: Path, server: AccessRoom, given: tuple[str, ...], days: float) -> None:
    before = time.time_ns()
    run(tmp_path, "create", "ci", "--role", "viewer", *given)
    (token,) = server.administration.tokens()
    assert token.expires_ns is not None
    assert before <= token.expires_ns - days * DAY_NS <= time.time_ns()


def test_a_token_may_never_end(tmp_path: Path, server: AccessRoom) -> None:
    assert "never expires" in run(tmp_path, "create", "ci", "--role", "viewer", "--expires", "never").stderr
    assert server.administration.tokens()[0].expires_ns is None


@pytest.mark.parametrize(
    "end", ["", "90", "90y", "yesterday", "2026-13-01", "2026-12-31T08:00", "now-6h", "99999999999d"]
)
def test_another_end_is_a_usage_error(tmp_path: Path, server: AccessRoom, end: str) -> None:
    result = run(tmp_path, "create", "ci", "--role", "viewer", "--expires", end)
    assert result.exit_code == 2
    assert "--expires" in result.stderr
    assert server.administration.tokens() == []


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("ci", "--role", "viewer", "--expires", "2001-01-01"), "expired already"),
        (("ci", "--role", "ingest", "--tenant", "acme"), "role ingest cannot be limited"),
        ((" ", "--role", "viewer"), "needs a name"),
        (("ci", "--role", "god"), "--role"),
        (("ci",), "--role"),
    ],
)
def test_a_token_that_cannot_be_is_refused_in_words(
    tmp_path: Path, server: AccessRoom, words: tuple[str, ...], reason: str
) -> None:
    result = run(tmp_path, "create", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert reason in result.stderr
    assert server.administration.tokens() == []


def test_the_list_holds_what_works_and_all_of_it_when_asked(tmp_path: Path, server: AccessRoom) -> None:
    for name in ("good", "revoked"):
        run(tmp_path, "create", name, "--role", "viewer")
    newest = server.administration.tokens()[0]
    server.administration.revoke_token(newest.id, "test")
    short = run(tmp_path, "list")
    assert [line.split()[1] for line in short.stdout.splitlines()] == ["name", "good"]
    assert short.stderr == "1 more expired or were revoked; --all lists them.\n"
    assert [line.split()[4] for line in run(tmp_path, "list", "--all").stdout.splitlines()] == [
        "state",
        "revoked",
        "active",
    ]
    assert len(json.loads(run(tmp_path, "list", "--json").stdout)) == 1
    assert len(json.loads(run(tmp_path, "list", "--all", "--json").stdout)) == 2


def test_a_token_is_revoked_by_its_whole_text_too_and_again_without_an_error(
    tmp_path: Path, server: AccessRoom
) -> None:
    text = run(tmp_path, "create", "ci", "--role", "viewer").stdout.strip()
    for _ in range(2):
        result = run(tmp_path, "revoke", text, "--json")
        assert (result.exit_code, json.loads(result.stdout)["state"]) == (0, "revoked")
    assert server.gate.by_token(text) is None


def test_an_unknown_token_is_told(tmp_path: Path, server: AccessRoom) -> None:
    result = run(tmp_path, "revoke", "nothing")
    assert (result.exit_code, result.stderr) == (2, "peakline: No token has the id 'nothing'.\n")
