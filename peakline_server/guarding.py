"""Who may come into this process: the room of access, the routes of log-in, and the layer in front of everything."""

import hashlib
import hmac
from collections.abc import Callable, Collection
from dataclasses import dataclass

from starlette.responses import Response
from starlette.types import ASGIApp

import access.web.access_rules
import api.access_rules
import collector.access_rules
import dashboard.access_rules
from access.room import AccessRoom, open_room
from access.web.layer import AccessLayer, OnRefused
from access.web.routes import ProviderParts, in_front_of, routes
from collector import answers
from collector.receive import Receiver
from peakline_server.direct import Direct
from peakline_server.salt import content_salt
from peakline_server.settings import Role, ServeSettings
from store.control.access_book import SqlAccessBook
from store.control.open import Control
from vocabulary.access import Rule

TICKETS = b"peakline: tickets of single sign-on"
"""What the key of the tickets is derived for, so that it is no other secret of the folder."""


REFUSED_AT_THE_DOOR = {401: "unauthenticated", 403: "forbidden", 503: "access_unavailable"}
"""What the ledger calls a body that the door refused, by the status of the answer."""


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

    def around(self, app: ASGIApp, receiver: Receiver | None) -> ASGIApp:
        """The application behind log-in and the layer that names callers; telemetry goes straight to its receiver.

        receiver  also counts what is refused at the door; None where this process takes no telemetry
        raises    OidcSettingsError when a provider is configured without a public address
        """
        gate = self.room.gate if self.room else None
        if self.settings.role in {Role.ALL, Role.WEB}:
            app = in_front_of(app, routes(gate, self.settings.web, self._provider()))
        rules = rules_of(self.settings.role)
        if receiver is None:
            return AccessLayer(app, gate, rules, self.settings.web, otlp_status)
        direct = receiver.routes()
        ledger = counted(receiver.count_refused, [route.path for route in direct])
        return AccessLayer(Direct(app, direct), gate, rules, self.settings.web, otlp_status, ledger)

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


def counted(count: Callable[[str], None], paths: Collection[str]) -> OnRefused:
    """Tells the ledger of telemetry that the door refused: who waits for its data must be able to see why.

    count  takes the reason
    paths  where telemetry is sent
    """

    def told(method: str, path: str, status: int) -> None:
        if method == "POST" and path in paths:
            count(REFUSED_AT_THE_DOOR.get(status, "refused"))

    return told


def otlp_status(status: int, sentence: str, media_type: str, retry_after_s: int | None) -> Response:
    """The answer that exporters of telemetry read: google.rpc.Status in the encoding of their body."""
    return answers.refused(status, sentence, media_type, retry_after_s)
