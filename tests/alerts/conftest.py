from dataclasses import dataclass, field

import pytest

from alerts.book import MemoryBook
from alerts.evaluate import Evaluator
from alerts.reading import Reading
from alerts.rules import Line, LineKind, Metric, Rule, Severity
from vocabulary.errors import RefusedReadError
from vocabulary.pools import SECOND_NS, Pool

CHAT = Pool("chat", "meta/llama:70b")
OTHER = Pool("search", "small")


@dataclass
class Fleet:
    """A fleet whose load the test sets, with a clock that the test moves."""

    now_ns: int = 1_000 * SECOND_NS
    loads: dict[Pool, float | None] = field(default_factory=dict)
    reads: int = 0
    looks: int = 0
    refused: set[Pool] = field(default_factory=set)
    book: MemoryBook = field(default_factory=MemoryBook)

    def clock_ns(self) -> int:
        return self.now_ns

    def read(self, pool: Pool, window_s: int) -> Reading:
        assert window_s == 60
        self.reads += 1
        if pool in self.refused:
            message = "the read was stopped"
            raise RefusedReadError(message)
        return Reading(self.loads.get(pool), 1, 1)

    def pools(self) -> list[Pool]:
        self.looks += 1
        return list(self.loads)

    def evaluator(self, *rules: Rule) -> Evaluator:
        return Evaluator(rules, self.read, self.book, self.clock_ns, self.pools)


def a_rule(**changes: object) -> Rule:
    parts: dict[str, object] = {
        "id": "near",
        "summary": "near the line",
        "metric": Metric.LOAD,
        "pool": None,
        "over_s": 60,
        "line": Line(LineKind.FIXED, 4.0, 3.4),
        "for_ns": 0,
        "severity": Severity.WARNING,
    }
    return Rule(**{**parts, **changes})  # type: ignore[arg-type]  # the parts above have the right types


@pytest.fixture
def fleet() -> Fleet:
    return Fleet()
