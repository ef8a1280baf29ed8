"""Tokens and users, from a running server or from the folder of one that does not run."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from access.room import administration_of
from access.settings import AccessSettings
from api.house import ApiHouse
from peakline_server.doctor_access import access, admins, tokens
from peakline_server.doctor_finding import Place
from store.control.access_book import SqlAccessBook
from store.control.access_records import StoredToken, StoredUser, UserKind
from store.control.open import open_control
from store.telemetry.lock import FolderLock
from tests.api.administration import Registry
from tests.api.conftest import Naming, application, somebody
from tests.factories.serving import served
from tests.peakline_server.examined_place import EVERYWHERE, NOW_NS, asked, only, place, states
from vocabulary.access import ANONYMOUS, Role

DAY_NS = 86_400 * 10**9
SENDER = StoredToken("t1", "gateway", Role.INGEST, None, NOW_NS - 200 * DAY_NS, "ada", last_used_ns=NOW_NS - DAY_NS)
ADA = StoredUser("u1", "ada", UserKind.LOCAL, Role.ADMIN, None, NOW_NS, "command line")


def on(url: str = "", **named: Any) -> Place:
    return place(access_enabled=True, server=asked(url), **named)


def test_access_may_be_off_on_this_machine_only() -> None:
    assert only(access(place())).state == "ok"
    assert only(access(place(host=EVERYWHERE, access_enabled=True))).state == "ok"
    assert "is off" in only(access(place())).sentence
    found = only(access(place(host=EVERYWHERE)))
    assert (found.state, "users create NAME --role admin" in found.fix) == ("problem", True)
    assert states(admins(place())) == states(tokens(place())) == ["skipped"]


@pytest.mark.parametrize("check", [access, admins, tokens])
def test_what_an_unreadable_configuration_says_of_access_is_not_guessed(check: Any) -> None:
    found = only(check(place(configuration_is_read=False)))
    assert (found.state, "the configuration cannot be read" in found.sentence) == ("skipped", True)


def test_somebody_must_be_able_to_administer(peakline: str, registry: Registry) -> None:
    assert only(admins(on(peakline))).state == "problem"
    registry.all_users = [
        dataclasses.replace(ADA, is_disabled=True),
        dataclasses.replace(ADA, id="2", role=Role.VIEWER),
    ]
    assert only(admins(on(peakline))).state == "problem"
    registry.all_users.append(ADA)
    assert only(admins(on(peakline))).sentence == "1 may administer: ada."


def test_a_token_must_be_able_to_send(peakline: str, registry: Registry) -> None:
    registry.all_tokens = [dataclasses.replace(SENDER, revoked_ns=1), dataclasses.replace(SENDER, role=Role.VIEWER)]
    found = only(tokens(on(peakline)))
    assert (found.state, "tokens create NAME --role ingest" in found.fix) == ("problem", True)
    registry.all_tokens = [SENDER]
    assert only(tokens(on(peakline))).sentence == "1 token, in use; it may send."
    registry.all_tokens *= 2
    assert only(tokens(on(peakline))).sentence == "2 tokens, all of them in use; at least one may send."


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"expires_ns": NOW_NS + 3 * DAY_NS}, "expires at 2026-12-03T12:00Z."),
        ({"last_used_ns": NOW_NS - 91 * DAY_NS}, "was last used at 2026-08-31T12:00Z."),
        ({"last_used_ns": None}, "and never used"),
    ],
)
def test_tokens_that_are_left_over_are_told(
    peakline: str, registry: Registry, changed: dict[str, Any], said: str
) -> None:
    registry.all_tokens = [SENDER, dataclasses.replace(SENDER, id="t2", name="old", **changed)]
    found = only(tokens(on(peakline)))
    assert (found.state, "old (t2, ingest)" in found.sentence, said in found.sentence) == ("warning", True, True), found


def test_a_new_token_that_nobody_used_yet_is_fine(peakline: str, registry: Registry) -> None:
    registry.all_tokens = [dataclasses.replace(SENDER, created_ns=NOW_NS - DAY_NS, last_used_ns=None)]
    found = only(tokens(on(peakline)))
    assert (found.state, found.sentence) == ("ok", "1 token, not used yet; it may send.")
    registry.all_tokens.append(SENDER)
    assert only(tokens(on(peakline))).sentence == "2 tokens, 1 of them not used yet; at least one may send."


def test_a_token_that_may_not_see_settings_is_told(api_house: ApiHouse) -> None:
    with served(Naming(application(api_house), somebody(Role.VIEWER))) as url:
        found = only(tokens(on(url)))
    assert (found.state, "auditor" in found.fix) == ("skipped", True)


def test_a_server_that_runs_without_access_is_told(api_house: ApiHouse) -> None:
    off = dataclasses.replace(api_house, administration=None)
    with served(Naming(application(off), ANONYMOUS)) as url:
        found = only(admins(on(url)))
    assert (found.state, "Start the server again" in found.fix) == ("problem", True)


def test_without_a_server_the_database_is_read(tmp_path: Path) -> None:
    assert states(admins(on(data=tmp_path))) == ["skipped"]
    control = open_control(f"sqlite:///{tmp_path / 'control.sqlite'}")
    administration = administration_of(SqlAccessBook(control.engine), lambda: NOW_NS, AccessSettings())
    administration.create_user("ada", Role.ADMIN, None, "correct horse battery", "test")
    administration.create_token("gateway", Role.INGEST, None, NOW_NS + DAY_NS, "test")
    control.close()
    here = on(data=tmp_path)
    assert only(admins(here)).sentence == "1 may administer: ada."
    assert "gateway" in only(tokens(here)).sentence
    (tmp_path / "control.sqlite").write_bytes(b"no database" * 1000)
    assert states(tokens(on(data=tmp_path))) == ["problem"]


def test_users_are_those_of_the_folder_and_not_of_a_server_of_another(
    peakline: str, registry: Registry, tmp_path: Path
) -> None:
    registry.all_users = [dataclasses.replace(ADA, name="zoe")]
    control = open_control(f"sqlite:///{tmp_path / 'control.sqlite'}")
    administration = administration_of(SqlAccessBook(control.engine), lambda: NOW_NS, AccessSettings())
    administration.create_user("ada", Role.ADMIN, None, "correct horse battery", "test")
    control.close()
    assert only(admins(on(peakline, data=tmp_path))).sentence == "1 may administer: ada."
    lock = FolderLock(tmp_path)
    assert only(admins(on(peakline, data=tmp_path))).sentence == "1 may administer: zoe."
    lock.release()
