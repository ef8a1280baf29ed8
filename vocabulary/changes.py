"""Change events: what was changed about the served models or about Peakline itself, shown on every time axis."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class ChangeKind(StrEnum):
    """What was changed."""

    DEPLOY = "deploy"
    ROLLBACK = "rollback"
    CONFIGURATION = "configuration"
    SCALE = "scale"
    QUOTA = "quota"
    BREAKER = "breaker"


@dataclass(frozen=True, slots=True)
class ChangeEvent:
    """One change. It says what happened and holds no secret.

    event_id       unique; an event that is appended again under its id is read once
    at_ns          when the change took effect, nanoseconds since the epoch
    subject        what was changed: `alert rules`, `alias table`, a service
    summary        one sentence for people
    actor          name of the principal who changed it, or of the part that noticed it
    before_digest  SHA-256 of what held before, hexadecimal; '' where there was nothing or it has none
    after_digest   the same of what holds now
    detail         more facts, plain JSON values
    """

    event_id: str
    at_ns: int
    kind: ChangeKind
    subject: str
    summary: str
    actor: str
    before_digest: str = ""
    after_digest: str = ""
    detail: Mapping[str, object] = field(default_factory=dict)
