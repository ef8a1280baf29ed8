"""Who may come into this process: the room of access, the routes of log-in, and the layer in front of everything."""

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass

from starlette.responses import Response
from starlette.types import ASGIApp

import access.web.access_rules
import api.access_rules
import collector.access_rules
import dashboard.access_rules
from access.room import AccessRoom, open_room
from access.web.layer import AccessLayer
from access.web.routes import ProviderParts, in_front_of, routes
from collector import answers
from peakline_server.salt import content_salt
from peakline_server.settings import Role, ServeSettings
from store.control.access_book import SqlAccessBook
from store.control.open import Control
from vocabulary.access import Rule

TICKETS = b"peakline: tickets of single sign-on"
"""What the key of the tickets is derived for, so that it is no other secret of the folder."""


@dataclass(frozen=True, slots=True)
class Guard:
    """The door of one process.

    room  None while access is off
    """

    settings: ServeSettings
    room: AccessRoom | None
    clock_ns: Callable[[], int]

    @classmethod
    def open(cls, settings: ServeSettings, control: Control, clock_ns: Callable[[], int]) -> "Guard":
        """The door as it is configured; takes the time of one password hash where access is on."""
        room = open_room(SqlAccessBook(control.engine), clock_ns, settings.access) if settings.web.is_on else None
        return cls(settings, room, clock_ns)

    def around(self, app: ASGIApp) -> ASGIApp:
        """The application behind log-in and the layer that names callers.

        raises  OidcSettingsError when a provider is configured without a public address
        """
        gate = self.room.gate if self.room else None
        if self.settings.role in {Role.ALL, Role.WEB}:
            app = in_front_of(app, routes(gate, self.settings.web, self._provider()))
        return AccessLayer(app, gate, rules_of(self.settings.role), self.settings.web, otlp_status)

    def _provider(self) -> ProviderParts | None:
        if self.settings.oidc is None:
            return None
        key = hmac.digest(content_salt(self.settings.data), TICKETS, hashlib.sha256)
        return ProviderParts(self.settings.oidc, key, self.clock_ns)


def rules_of(role: Role) -> tuple[Rule, ...]:
    """The rules of everything that a process of this role answers; what has none is refused to everybody."""
    rules = [*api.access_rules.RULES]
    if role in {Role.ALL, Role.INGEST}:
        rules += collector.access_rules.RULES
    if role in {Role.ALL, Role.WEB}:
        rules += [*dashboard.access_rules.RULES, *access.web.access_rules.RULES]
    return tuple(rules)


def otlp_status(status: int, sentence: str, media_type: str, retry_after_s: int | None) -> Response:
    """The answer that exporters of telemetry read: google.rpc.Status in the encoding of their body."""
    return answers.refused(status, sentence, media_type, retry_after_s)
