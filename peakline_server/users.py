"""`peakline users`: who may log in."""

from dataclasses import asdict
from typing import IO, TYPE_CHECKING

import click

from access.contract import AccessError
from api.times import rfc3339
from peakline_server.access_command import (
    BY,
    on_book,
    print_json,
    print_table,
    role_option,
    tenant_option,
    tenants_of,
    told_tenants,
)
from vocabulary.access import Role
from vocabulary.pools import SECOND_NS

if TYPE_CHECKING:
    from access.administration import AccessAdministration
    from store.control.access_records import StoredUser

_PASSWORD_FILE_MAX = 10_000
_HEADS = ("name", "id", "kind", "role", "tenants", "state", "last log-in")

password_option = click.option(
    "--password-file",
    type=click.File(encoding="utf-8-sig"),
    help="File that holds the password, - for standard input. Default: asked for twice.",
)
name_argument = click.argument("name")


@click.group()
def users() -> None:
    """Say who may log in, and as what.

    Works on the control database, also while a server runs. NAME is a name or an id of `peakline users list`. Whatever
    changes about a user ends their open sessions.
    """


@users.command()
@name_argument
@role_option
@tenant_option
@password_option
@on_book(may_create=True)
def create(
    administration: "AccessAdministration",
    *,
    name: str,
    role: str,
    tenants: tuple[str, ...],
    password_file: IO[str] | None,
    is_json: bool,
) -> None:
    """Make a local user.

    NAME is 1 to 64 letters, digits and . _ - @, and is kept in lower case; the password has at least 12 characters.
    """
    user = administration.create_user(name, Role(role), tenants_of(tenants), _password(password_file), BY)
    _say(user, f"User {user.name} may log in as {user.role}, tenants: {told_tenants(user.tenants)}.", is_json=is_json)


@users.command("list")
@on_book()
def list_users(administration: "AccessAdministration", *, is_json: bool) -> None:
    """List users by name."""
    found = administration.users()
    if is_json:
        print_json([told(user) for user in found])
    else:
        print_table(_HEADS, [_row(user) for user in found])


@users.command("set-password")
@name_argument
@password_option
@on_book()
def set_password(
    administration: "AccessAdministration", *, name: str, password_file: IO[str] | None, is_json: bool
) -> None:
    """Give a local user a new password."""
    user = _found(administration, name)
    administration.set_password(user.id, _password(password_file), BY)
    _say(user, f"User {user.name} has a new password; their sessions ended.", is_json=is_json)


@users.command("set-role")
@name_argument
@role_option
@tenant_option
@click.option("--all-tenants", is_flag=True, help="Lift the limit to tenants; without it and --tenant it stays.")
@on_book()
def set_role(
    administration: "AccessAdministration",
    *,
    name: str,
    role: str,
    tenants: tuple[str, ...],
    all_tenants: bool,
    is_json: bool,
) -> None:
    """Give a local user another role, and other tenants."""
    if tenants and all_tenants:
        raise AccessError("Give --tenant or --all-tenants, not both.")
    wanted = {"tenants": tenants_of(tenants)} if tenants or all_tenants else None
    user = _found(administration, name)
    user = administration.change_user(user.id, BY, role=Role(role), tenants=wanted)
    _say(user, f"User {user.name} is {user.role} now, tenants: {told_tenants(user.tenants)}.", is_json=is_json)


@users.command()
@name_argument
@on_book()
def disable(administration: "AccessAdministration", *, name: str, is_json: bool) -> None:
    """Refuse a user's log-ins until they are enabled again."""
    user = administration.change_user(_found(administration, name).id, BY, is_disabled=True)
    _say(user, f"User {user.name} may not log in any more; their sessions ended.", is_json=is_json)


@users.command()
@name_argument
@on_book()
def enable(administration: "AccessAdministration", *, name: str, is_json: bool) -> None:
    """Let a disabled user log in again."""
    user = administration.change_user(_found(administration, name).id, BY, is_disabled=False)
    _say(user, f"User {user.name} may log in again.", is_json=is_json)


@users.command()
@name_argument
@on_book()
def delete(administration: "AccessAdministration", *, name: str, is_json: bool) -> None:
    """Remove a user and their sessions.

    A user of an identity provider comes back with their next log-in; disable them instead.
    """
    user = _found(administration, name)
    administration.delete_user(user.id, BY)
    _say(user, f"User {user.name} is removed.", is_json=is_json)


def _found(administration: "AccessAdministration", name: str) -> "StoredUser":
    """A user by name or id; a name as it is typed, or as it is kept."""
    from access.names import local_name

    wanted = {name, local_name(name)}
    found = next((user for user in administration.users() if user.name in wanted or user.id == name), None)
    if found is None:
        raise AccessError(f"There is no user {name!r}; `peakline users list` tells who there is.")
    return found


def _password(file: IO[str] | None) -> str:
    if file is None:
        return str(click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    try:
        text = file.read(_PASSWORD_FILE_MAX)
    except UnicodeDecodeError as fault:
        raise AccessError("The password file is no UTF-8 text.") from fault
    return text.removesuffix("\n").removesuffix("\r")


def _say(user: "StoredUser", sentence: str, *, is_json: bool) -> None:
    if is_json:
        print_json(told(user))
    else:
        click.echo(sentence)


def told(user: "StoredUser") -> dict[str, object]:
    """A user as the API tells them."""
    from api.access_wire import user_item

    return asdict(user_item(user))


def _row(user: "StoredUser") -> tuple[str, ...]:
    last = "never" if user.last_login_ns is None else rfc3339(user.last_login_ns // SECOND_NS * SECOND_NS)
    state = "disabled" if user.is_disabled else "enabled"
    return (user.name, user.id, user.kind, user.role, told_tenants(user.tenants), state, last)
