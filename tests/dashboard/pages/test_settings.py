import asyncio
from dataclasses import replace

import pytest

from dashboard.pages import settings
from tests.dashboard.looking import NoReader, house_of, of_type, view_of, words
from tests.dashboard.people import ADA, LIMITED, OTTO, SENDER, VERA, FixedSettings, person, token, user
from vocabulary.access import ANONYMOUS, Principal, Role

KNOWN = FixedSettings(
    stored_tokens=[token("gateway")],
    stored_users=[user("ada", Role.ADMIN), user("otto", Role.AUDITOR), user("vera"), user("lim")],
)


class Secretive(FixedSettings):
    """Settings of which nothing may be asked."""

    def tokens(self) -> list[object]:  # type: ignore[override]  # it never answers
        raise AssertionError

    users = settings = changes = reload_problems = tokens  # type: ignore[assignment]  # nor do these


def drawn(principal: Principal, known: FixedSettings = KNOWN) -> object:
    return asyncio.run(settings.body(view_of("/settings", house_of(NoReader(), principal=principal, settings=known))))


def test_an_admin_sees_everything_and_has_the_forms() -> None:
    page = drawn(ADA)
    assert {form.id for form in of_type(page, "ApiForm")} == {"own-password", "new-token", "new-user"}
    assert {getattr(table, "id", "") for table in of_type(page, "Table")} >= {"tokens", "users"}
    assert "server.port" in words(page)


def test_an_auditor_reads_all_of_it_and_changes_their_password_only() -> None:
    page = drawn(OTTO)
    assert {form.id for form in of_type(page, "ApiForm")} == {"own-password"}
    assert "gateway" in words(page)
    assert "an admin may change them" in words(page)
    assert "server.port" in words(page)


@pytest.mark.parametrize("who", [VERA, LIMITED, SENDER, replace(ADA, tenants=frozenset({"a"}))])
def test_nobody_else_is_told_of_tokens_users_or_configuration(who: Principal) -> None:
    shown = words(drawn(who, Secretive()))
    assert "shown to auditors and admins" in shown
    assert who.name in shown
    assert "Language and colours" in shown


def test_only_local_users_have_a_password_here() -> None:
    assert "own-password" not in {form.id for form in of_type(drawn(person("sso", Role.ADMIN)), "ApiForm")}


def test_with_access_off_the_page_says_how_to_switch_it_on() -> None:
    off = FixedSettings(access_is_on=False)
    page = drawn(ANONYMOUS, off)
    (lines,) = of_type(page, "CopyText")
    assert "users create NAME --role admin --data DIR" in lines.text
    assert "enabled: true" in lines.text
    assert not of_type(page, "ApiForm")
    assert "server.port" in words(page)


def test_the_lines_to_switch_access_on_name_the_folder_of_this_server() -> None:
    off = FixedSettings(access_is_on=False)
    off.rows = [replace(off.rows[0], name="server.data", value="/srv/my data")]
    (lines,) = of_type(drawn(ANONYMOUS, off), "CopyText")
    assert "--data '/srv/my data'" in lines.text


def test_lists_are_renewed_alone() -> None:
    view = view_of("/settings", house_of(NoReader(), principal=ADA, settings=KNOWN))
    tokens, users = asyncio.run(settings.lists(view))
    assert (tokens.id, users.id) == ("tokens", "users")
