"""Who may come in: is somebody able to administer, can senders send, are tokens left over?"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from api.access_wire import token_item, user_item
from api.times import time_ns
from peakline_server.doctor_finding import UNREAD, Finding, Place, ok, problem, skipped, warning
from peakline_server.doctor_server import Reply, is_of_another_folder, unanswered
from peakline_server.doctor_store import NoCopyError, copied
from peakline_server.program import program
from peakline_server.settings import is_loopback
from vocabulary.access import Role
from vocabulary.errors import PeaklineError
from vocabulary.pools import SECOND_NS

ACCESS, ADMINS, TOKENS = "access", "admins", "tokens"
CONFLICT = 409
_DAY_NS = 86_400 * SECOND_NS
_UNUSED_NS, _SOON_NS = 90 * _DAY_NS, 7 * _DAY_NS
Item = Mapping[str, Any]
OFF = "Access is off."


class NobodyTellsError(PeaklineError):
    """Tokens and users cannot be looked at.

    finding  that says why
    """

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.sentence)
        self.finding = finding


def access(place: Place) -> list[Finding]:
    """Whether access fits to where the server listens."""
    if not place.configuration_is_read:
        return [skipped(ACCESS, UNREAD)]
    if place.access_enabled:
        return [ok(ACCESS, "Access is on: everybody is asked for a token or a session.")]
    if is_loopback(place.host):
        return [ok(ACCESS, "Access is off, and the server listens on this machine only: that is fine.")]
    fix = f"Set access.enabled to true and run `{program()} users create NAME --role admin`, or listen on 127.0.0.1."
    return [problem(ACCESS, f"Access is off, and server.host is {place.host}: the server will not start.", fix)]


def admins(place: Place) -> list[Finding]:
    """Whether somebody can administer."""
    if not place.access_enabled:
        return [skipped(ADMINS, OFF if place.configuration_is_read else UNREAD)]
    try:
        users = _listed(place, ADMINS, "users")
    except NobodyTellsError as reason:
        return [reason.finding]
    found = [user["name"] for user in users if user["role"] == Role.ADMIN and not user["is_disabled"]]
    if not found:
        fix = f"`{program()} users create NAME --role admin`"
        return [problem(ADMINS, "No user may administer: nobody can make tokens and users in the dashboard.", fix)]
    return [ok(ADMINS, f"{len(found)} may administer: {', '.join(found[:5])}{' ...' if len(found) > 5 else ''}.")]  # noqa: PLR2004 - names on a line


def tokens(place: Place) -> list[Finding]:
    """Whether senders have a token, and which tokens are expired, about to expire, or unused for 90 days."""
    if not place.access_enabled:
        return [skipped(TOKENS, OFF if place.configuration_is_read else UNREAD)]
    try:
        living = [token for token in _listed(place, TOKENS, "tokens") if token["state"] != "revoked"]
    except NobodyTellsError as reason:
        return [reason.finding]
    found = [*_senders(living), *(one for token in living for one in _token(token, place.clock_ns()))]
    return found or [ok(TOKENS, _fine(living))]


def _fine(living: Sequence[Item]) -> str:
    unused = sum(not token["last_used"] for token in living)
    told = f"{unused} of them not used yet" if unused else "all of them in use"
    if len(living) == 1:
        return f"1 token, {'not used yet' if unused else 'in use'}; it may send."
    return f"{len(living)} tokens, {told}; at least one may send."


def _senders(living: Sequence[Item]) -> list[Finding]:
    if any(token["role"] in {Role.INGEST, Role.ADMIN} and token["state"] == "active" for token in living):
        return []
    fix = f"`{program()} tokens create NAME --role ingest`"
    return [problem(TOKENS, "No token may send telemetry: everything that emitters send is refused.", fix)]


def _token(token: Item, now_ns: int) -> list[Finding]:
    named = f"The token {token['name']} ({token['id']}, {token['role']})"
    revoke = f"`{program()} tokens revoke {token['id']}`"
    if token["state"] == "expired":
        return [warning(TOKENS, f"{named} expired at {_minute(token['expires'])}.", f"Make a new one, or {revoke}.")]
    if token["expires"] and time_ns(token["expires"], 0) - now_ns < _SOON_NS:
        return [warning(TOKENS, f"{named} expires at {_minute(token['expires'])}.", "Make a new one before.")]
    used = token["last_used"] or token["created"]
    if now_ns - time_ns(used, 0) > _UNUSED_NS:
        when = _minute(used)
        since = f"was last used at {when}" if token["last_used"] else f"was made at {when} and never used"
        return [warning(TOKENS, f"{named} {since}.", f"If nobody needs it: {revoke}.")]
    return []


def _minute(time: str) -> str:
    return f"{time[:16]}Z"


def _listed(place: Place, name: str, what: str) -> Sequence[Item]:
    """Users or tokens, as the API tells them: asked from the running server, else read from a copy of its database.

    raises  NobodyTellsError
    """
    if place.server.is_peakline() and (place.control or not is_of_another_folder(place)):
        reply = place.server.get(f"/api/v1/{what}")
        if not reply.is_answer:
            raise NobodyTellsError(_refused(place, name, reply))
        found: Sequence[Item] = reply.body["items"]
        return found
    try:
        return _READERS[what](place)
    except NoCopyError as reason:
        raise NobodyTellsError(skipped(name, str(reason))) from reason
    except PeaklineError as fault:
        raise NobodyTellsError(problem(name, str(fault))) from fault


def _refused(place: Place, name: str, reply: Reply) -> Finding:
    if reply.status == CONFLICT:
        said = "The configuration switches access on, but the running server has it off."
        return problem(name, said, "Start the server again with this configuration.")
    return unanswered(name, place, reply, Role.AUDITOR)


def _tokens(place: Place) -> Sequence[Item]:
    from store.control.access_book import SqlAccessBook

    with copied(place) as control:
        now_ns = place.clock_ns()
        return [msgspec.to_builtins(token_item(token, now_ns)) for token in SqlAccessBook(control.engine).tokens.all()]


def _users(place: Place) -> Sequence[Item]:
    from store.control.access_book import SqlAccessBook

    with copied(place) as control:
        return [msgspec.to_builtins(user_item(user)) for user in SqlAccessBook(control.engine).users.all()]


_READERS: Mapping[str, Callable[[Place], Sequence[Item]]] = {"tokens": _tokens, "users": _users}
