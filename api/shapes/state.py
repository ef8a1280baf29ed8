"""Health, alerts and imports on the wire. Times are RFC 3339 UTC."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HealthItem:
    """How the server is; `status` is ok or degraded, `store` is ok or unavailable.

    failing  background works whose last round failed: rollups stand still, alerts are not evaluated
    """

    status: str
    store: str
    version: str
    now: str
    started: str
    uptime_s: float
    pending_minutes: int
    failing: Sequence[str]


@dataclass(frozen=True, slots=True)
class ReadyItem:
    """The short answer for probes."""

    status: str


@dataclass(frozen=True, slots=True)
class AlertItem:
    """Where a rule stands for a pool.

    value      latest reading in the unit of the metric, null when there is none (`no_data`)
    line       at or above it the rule holds; `line_kind` tells where the line comes from
    updated    last evaluation that had a reading, null for never
    """

    rule_id: str
    summary: str
    service: str
    model: str
    metric: str
    severity: str
    state: str
    since: str
    value: float | None
    no_data: bool
    line: float
    recovery_line: float
    line_kind: str
    updated: str | None


@dataclass(frozen=True, slots=True)
class TransitionItem:
    """One step of an alert from state to state, with the lines in force then and where they came from (`line_kind`)."""

    rule_id: str
    service: str
    model: str
    from_state: str
    to_state: str
    at: str
    value: float | None
    line: float
    recovery_line: float
    reason: str
    line_kind: str


@dataclass(frozen=True, slots=True)
class AlertList:
    """Where every alert stands, and the latest transitions, newest first."""

    items: Sequence[AlertItem]
    transitions: Sequence[TransitionItem]
    next: None = None


@dataclass(frozen=True, slots=True)
class ImportItem:
    """How far an import has come: `rows` of it are stored as requests, 0 for one never seen."""

    import_id: str
    rows: int
