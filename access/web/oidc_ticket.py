"""A log-in that is under way at the provider: kept in a sealed cookie of the browser that started it."""

import base64
import hashlib
import json
import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass

from cryptography.fernet import Fernet, InvalidToken

TICKET_MAX_S = 600
_PURPOSE = b"peakline oidc ticket v1"


@dataclass(frozen=True, slots=True)
class Ticket:
    """What must come back, or must be known, when the provider sends the browser back.

    state     in the address, there and back
    nonce     in the identity token
    verifier  whose SHA-256 the provider was told (PKCE)
    next      where the browser goes afterwards
    """

    state: str
    nonce: str
    verifier: str
    next: str


def new_ticket(next_path: str) -> Ticket:
    """Three secrets of 256 bits."""
    return Ticket(secrets.token_urlsafe(32), secrets.token_urlsafe(32), secrets.token_urlsafe(32), next_path)


class TicketBox:
    """Seals tickets: nobody can read or make one, and each ends after ten minutes.

    key        32 random bytes or more; processes that serve the same pages share it
    clock_ns   the time
    """

    def __init__(self, key: bytes, clock_ns: Callable[[], int]) -> None:
        derived = hashlib.blake2b(_PURPOSE, key=key[:64], digest_size=32).digest()
        self._fernet = Fernet(base64.urlsafe_b64encode(derived))
        self._clock_ns = clock_ns

    def seal(self, ticket: Ticket) -> str:
        """Text for a cookie."""
        return self._fernet.encrypt_at_time(json.dumps(asdict(ticket)).encode(), self._now_s()).decode()

    def open(self, text: str) -> Ticket | None:
        """The ticket; None when it is not ours, was changed, or is too old."""
        try:
            sealed = self._fernet.decrypt_at_time(text.encode(), TICKET_MAX_S, self._now_s())
        except InvalidToken:
            return None
        return Ticket(**json.loads(sealed))

    def _now_s(self) -> int:
        return self._clock_ns() // 1_000_000_000
