"""What the page of settings is told of access."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from access.room import AccessRoom, open_room
from access.settings import AccessSettings
from peakline_server.change_log import ChangeLog
from peakline_server.settings_view import SettingsView
from store.control.access_book import SqlAccessBook
from store.control.open import open_control
from tests.factories.guarded import PASSWORD, Clock
from tests.peakline_server.test_change_log import Book
from vocabulary.access import ANONYMOUS, Principal, PrincipalKind, Role


@pytest.fixture
def room(tmp_path: Path) -> Iterator[AccessRoom]:
    control = open_control(f"sqlite:///{tmp_path / 'control.sqlite'}")
    yield open_room(SqlAccessBook(control.engine), Clock(), AccessSettings())
    control.close()


def view(room: AccessRoom | None) -> SettingsView:
    book = Book()
    return SettingsView(room, tuple, ChangeLog(book, book, Clock()), lambda: ["rules: line 3"])


def test_with_access_off_there_is_nobody_to_show() -> None:
    shown = view(None)
    assert (shown.access_is_on, list(shown.tokens()), list(shown.users())) == (False, [], [])
    assert not shown.keeps_password_of(ANONYMOUS)


def test_a_local_user_has_a_password_here_and_a_token_has_none(room: AccessRoom) -> None:
    user = room.administration.create_user("ann", Role.VIEWER, None, PASSWORD, "test")
    shown = view(room)
    assert shown.keeps_password_of(Principal(PrincipalKind.USER, user.id, "ann", Role.VIEWER))
    assert not shown.keeps_password_of(Principal(PrincipalKind.TOKEN, user.id, "ann", Role.VIEWER))
    assert not shown.keeps_password_of(Principal(PrincipalKind.USER, "gone", "bob", Role.VIEWER))


def test_tokens_users_and_problems_are_shown(room: AccessRoom) -> None:
    room.administration.create_token("gateway", Role.INGEST, None, None, "test")
    shown = view(room)
    assert [token.name for token in shown.tokens()] == ["gateway"]
    assert list(shown.reload_problems()) == ["rules: line 3"]
