"""Why a request does not get in: a reason for the program, a key of the texts for people."""

from collections.abc import Mapping
from enum import StrEnum

from vocabulary.access import Permission, Principal
from vocabulary.errors import PeaklineError

RETRY_AFTER_S = 5


class Reason(StrEnum):
    """What is wrong; its text is `refused.<reason>`."""

    NO_CREDENTIALS = "no_credentials"
    BAD_TOKEN = "bad_token"  # noqa: S105 - a reason, no secret
    SESSION_ENDED = "session_ended"
    NO_RULE = "no_rule"
    NO_PERMISSION = "no_permission"
    WHOLE_FLEET = "whole_fleet"
    FOREIGN_ORIGIN = "foreign_origin"
    NO_CSRF = "no_csrf"
    NOT_LOCAL = "not_local"
    FORWARDED = "forwarded"
    UNKNOWN_HOST = "unknown_host"
    UNREADABLE = "unreadable"
    STORE = "store"


_OTHER_STATUSES: Mapping[Reason, int] = {
    Reason.NO_CREDENTIALS: 401,
    Reason.BAD_TOKEN: 401,
    Reason.SESSION_ENDED: 401,
    Reason.UNREADABLE: 400,
    Reason.STORE: 503,
}
_FORBIDDEN = 403


class RefusedError(PeaklineError):
    """A request that does not get in.

    principal  who asked, where that is known
    missing    permissions of which one would have been enough
    csrf       of the caller's session, so that a page can offer to log out; '' without one
    """

    def __init__(
        self,
        reason: Reason,
        principal: Principal | None = None,
        missing: frozenset[Permission] = frozenset(),
        csrf: str = "",
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.principal = principal
        self.missing = missing
        self.csrf = csrf

    @property
    def status(self) -> int:
        """The HTTP status."""
        return _OTHER_STATUSES.get(self.reason, _FORBIDDEN)
