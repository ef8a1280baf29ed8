"""Change events on the wire. Times are RFC 3339 UTC."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChangeItem:
    """One change; `kind` is deploy, rollback, configuration, scale, quota or breaker.

    before_digest  SHA-256 of what held before, empty where there was nothing; after_digest  of what holds since
    """

    event_id: str
    at: str
    kind: str
    subject: str
    summary: str
    actor: str
    before_digest: str
    after_digest: str
    detail: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ChangeList:
    """Change events of the window, newest first.

    is_partial  older ones of the window were left out: ask again with `to` at the last item's time
    """

    items: Sequence[ChangeItem]
    is_partial: bool
    next: None = None
