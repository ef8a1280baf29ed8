"""`peakline tokens`: make, list and revoke API tokens."""

import re
import time
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from api.times import ABSOLUTE, MOST_NS, BadTimeError, rfc3339, time_ns
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
    from store.control.access_records import StoredToken

_SPAN = re.compile(r"(\d{1,5})([hdw])")
_SPAN_S = {"h": 3600, "d": 86_400, "w": 604_800}
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_HEADS = ("id", "name", "role", "tenants", "state", "created", "expires", "last used")


def _expires(_context: click.Context, _option: click.Parameter, text: str) -> int | None:
    """Nanoseconds since the epoch from `90d`, a day or a time; None for never."""
    if text == "never":
        return None
    now_ns = time.time_ns()
    if span := _SPAN.fullmatch(text):
        return min(now_ns + int(span[1]) * _SPAN_S[span[2]] * SECOND_NS, MOST_NS)
    wanted = f"{text}T00:00:00Z" if _DAY.fullmatch(text) else text
    try:
        if ABSOLUTE.fullmatch(wanted):
            return time_ns(wanted, now_ns)
    except BadTimeError as fault:
        raise click.BadParameter(str(fault)) from fault
    message = f"{text!r} is no end: use 90d (h, d, w), never, 2026-12-31 or 2026-12-31T08:00:00Z"
    raise click.BadParameter(message)


@click.group()
def tokens() -> None:
    """Make, list and revoke API tokens.

    Works on the control database, also while a server runs; what is revoked is refused by the next request.
    """


@tokens.command()
@click.argument("name")
@role_option
@tenant_option
@click.option(
    "--expires",
    "expires_ns",
    default="90d",
    show_default=True,
    callback=_expires,
    help="After 12h, 90d or 8w, on a day or at a time (UTC), or never.",
)
@on_book(may_create=True)
def create(
    administration: "AccessAdministration",
    *,
    name: str,
    role: str,
    tenants: tuple[str, ...],
    expires_ns: int | None,
    is_json: bool,
) -> None:
    """Make an API token; NAME says what it is for.

    The token is printed alone on standard output, this once: TOKEN=$(peakline tokens create gateway --role ingest).
    Senders give it as the header `Authorization: Bearer pkl_...`.
    """
    token, text = administration.create_token(name, Role(role), tenants_of(tenants), expires_ns, BY)
    if is_json:
        print_json({"token": told(token), "text": text})
        return
    click.echo(text)
    end = "never expires" if token.expires_ns is None else f"expires {_shown(token.expires_ns)}"
    remark = (
        f"Token {token.id} ({token.name}, {token.role}, tenants: {told_tenants(token.tenants)}) {end}. "
        "It is shown this once; send it as `Authorization: Bearer TOKEN`."
    )
    click.echo(remark, err=True)


@tokens.command("list")
@click.option("--all", "with_ended", is_flag=True, help="Also tokens that expired or were revoked.")
@on_book()
def list_tokens(administration: "AccessAdministration", *, with_ended: bool, is_json: bool) -> None:
    """List API tokens, newest first, without their secrets."""
    items = [(token, told(token)) for token in administration.tokens()]
    wanted = [(token, item) for token, item in items if with_ended or item["state"] == "active"]
    if is_json:
        print_json([item for _, item in wanted])
        return
    print_table(_HEADS, [_row(token, str(item["state"])) for token, item in wanted])
    ended = len(items) - len(wanted)
    if ended:
        click.echo(f"{ended} more expired or were revoked; --all lists them.", err=True)


@tokens.command()
@click.argument("token_id", metavar="ID")
@on_book()
def revoke(administration: "AccessAdministration", *, token_id: str, is_json: bool) -> None:
    """End a token at once.

    ID is the first column of `peakline tokens list`, or the whole token. Exit code 2 when there is none; revoking twice
    is no error.
    """
    from access.token_text import parsed_token

    pasted = parsed_token(token_id)
    token = administration.revoke_token(pasted[0] if pasted else token_id, BY)
    if is_json:
        print_json(told(token))
    else:
        click.echo(f"Token {token.id} ({token.name}) is revoked.")


def told(token: "StoredToken") -> dict[str, object]:
    """A token as the API tells it."""
    from api.access_wire import token_item

    return asdict(token_item(token, time.time_ns()))


def _row(token: "StoredToken", state: str) -> tuple[str, ...]:
    times = (_shown(token.created_ns), _shown(token.expires_ns), _shown(token.last_used_ns))
    return (token.id, token.name, token.role, told_tenants(token.tenants), state, *times)


def _shown(at_ns: int | None) -> str:
    return "never" if at_ns is None else rfc3339(at_ns // SECOND_NS * SECOND_NS)
