"""What an alert rule is, and how a YAML file states it."""

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from alerts.document import Block, RuleFileError, read_document
from vocabulary.pools import SECOND_NS, Pool

ID = re.compile(r"[A-Za-z0-9._-]{1,100}")
OVER_DEFAULT_NS = 60 * SECOND_NS
OVER_MAX_NS = 900 * SECOND_NS
"""The store answers alert reads over at most 15 minutes."""


class Metric(StrEnum):
    """What a rule watches: `load` is the arrival rate per ready replica, requests per second."""

    LOAD = "load"


class LineKind(StrEnum):
    """Where a warning line comes from: `fixed` was written down by a person."""

    FIXED = "fixed"


class Severity(StrEnum):
    """How loud an alert is."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"


@dataclass(frozen=True, slots=True)
class Line:
    """A warning line with its recovery line, in the unit of the metric.

    at        at or above it, the rule holds
    recovery  at or below it, a firing alert is resolved; lower than `at`, so that noise does not toggle the alert
    """

    kind: LineKind
    at: float
    recovery: float


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; it watches each of its pools by itself.

    pool    the pool watched, None for every pool with traffic
    over_s  length of the window that the metric is read over, seconds
    for_ns  how long the rule must hold before the alert fires
    """

    id: str
    summary: str
    metric: Metric
    pool: Pool | None
    over_s: int
    line: Line
    for_ns: int
    severity: Severity

    @property
    def digest(self) -> str:
        """SHA-256 of the rule, so that a transition can be traced to the rule text that made it."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()

    def watches(self, pool: Pool) -> bool:
        """Whether `pool` is one of the rule's pools."""
        return self.pool is None or self.pool == pool


def load_rules(path: Path) -> tuple[Rule, ...]:
    """Rules of a YAML file in their order.

    raises  RuleFileError `file:line: what is wrong`, for unknown keys too
    """
    document = read_document(path)
    blocks = document.blocks("rules")
    document.finish()
    rules: dict[str, Rule] = {}
    for block in blocks:
        rule = _rule(block)
        if rule.id in rules:
            raise block.refuse("id", f"a rule {rule.id!r} stands above already")
        rules[rule.id] = rule
    return tuple(rules.values())


def _rule(block: Block) -> Rule:
    rule = Rule(
        id=_id(block),
        summary=block.text("summary"),
        metric=block.choice("metric", Metric),
        pool=_pool(block),
        over_s=_over_s(block),
        line=_line(block.block("line")),
        for_ns=block.duration("for", 0),
        severity=block.choice("severity", Severity, Severity.WARNING),
    )
    block.finish()
    return rule


def _id(block: Block) -> str:
    word = block.text("id")
    if not ID.fullmatch(word):
        raise block.refuse("id", f"'id' {word!r} may hold letters, digits, `.`, `_` and `-` only, 100 at most")
    return word


def _pool(block: Block) -> Pool | None:
    if not block.has("pool"):
        return None
    if block.is_text("pool"):
        if block.text("pool") != "all":
            raise block.refuse("pool", "'pool' is `all`, or a block with `service` and `model`")
        return None
    inner = block.block("pool")
    pool = Pool(inner.text("service"), inner.text("model"))
    inner.finish()
    return pool


def _over_s(block: Block) -> int:
    over_ns = block.duration("over", OVER_DEFAULT_NS)
    if over_ns % SECOND_NS or not SECOND_NS <= over_ns <= OVER_MAX_NS:
        raise block.refuse("over", "'over' is a whole number of seconds from 1s to 15m")
    return over_ns // SECOND_NS


def _line(block: Block) -> Line:
    line = Line(block.choice("kind", LineKind, LineKind.FIXED), block.number("at"), block.number("recovery"))
    block.finish()
    if not 0 <= line.recovery < line.at:
        raise block.refuse(
            "recovery", f"'recovery' ({line.recovery:g}) must be lower than 'at' ({line.at:g}), and not negative"
        )
    return line


__all__ = ["Line", "LineKind", "Metric", "Rule", "RuleFileError", "Severity", "load_rules"]
