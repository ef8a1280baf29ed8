"""Rules tried out in plain text: what the load does, and where the alert must stand then.

load 10s  3 5x4 _ 3.6 3.3        # a reading every 10 s from 0 s on; 5x4 is four times 5, _ is no data
restart at 30s                   # the evaluator starts anew from its book
eval at 10s: pending             # after the round at 10 s
eval at 50s: firing, no data
eval at 70s busy-line: resolved  # of the rule `busy-line`; needed only where there are several
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from alerts.book import MemoryBook
from alerts.document import RuleFileError, duration_ns
from alerts.evaluate import Evaluator
from alerts.reading import Reading
from alerts.rules import Rule
from alerts.state import AlertState
from alerts.views import AlertsView
from vocabulary.pools import Pool

POOL = Pool("scenario", "model")
"""The pool of a scenario when a rule names none."""

LOAD = re.compile(r"load (?P<every>\S+)\s+(?P<values>.+)")
RESTART = re.compile(r"restart at (?P<at>\S+)")
EVAL = re.compile(r"eval at (?P<at>[^\s:]+)(?: (?P<rule>[^:]+))?: (?P<state>[a-z]+)(?P<silent>, no data)?")
TIMES = re.compile(r"(?P<value>.+)x(?P<count>\d+)")


@dataclass(frozen=True, slots=True)
class Expectation:
    """Where an alert must stand after the round at a time; `rule_id` "" is the only rule."""

    line: int
    at_ns: int
    rule_id: str
    state: AlertState
    no_data: bool


@dataclass(slots=True)
class Scenario:
    """A parsed scenario: readings every `every_ns` from 0 on, restarts, and what must come of it."""

    file: str
    every_ns: int = 0
    readings: list[float | None] = field(default_factory=list)
    restarts: set[int] = field(default_factory=set)
    expectations: list[Expectation] = field(default_factory=list)


def read_scenario(path: Path) -> Scenario:
    """Parse a scenario file.

    raises  RuleFileError `file:line: what is wrong`
    """
    scenario = Scenario(str(path))
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        statement = line.partition("#")[0].strip()
        try:
            if statement:
                _take(scenario, number, statement)
        except ValueError as fault:
            raise RuleFileError(f"{path}:{number}: {fault}") from fault
    if not scenario.readings or not scenario.expectations:
        raise RuleFileError(f"{path}:1: a scenario needs a `load` line and an `eval` line")
    return scenario


def _take(scenario: Scenario, number: int, statement: str) -> None:
    if found := LOAD.fullmatch(statement):
        if scenario.readings:
            raise ValueError("a second `load` line; put all readings on one")
        scenario.every_ns = duration_ns(found["every"])
        scenario.readings = [reading for word in found["values"].split() for reading in _readings(word)]
    elif found := RESTART.fullmatch(statement):
        scenario.restarts.add(duration_ns(found["at"]))
    elif found := EVAL.fullmatch(statement):
        state, silent = AlertState(found["state"]), found["silent"] is not None
        wanted = Expectation(number, duration_ns(found["at"]), (found["rule"] or "").strip(), state, silent)
        scenario.expectations.append(wanted)
    else:
        raise ValueError("neither `load EVERY VALUES`, `restart at TIME` nor `eval at TIME [RULE]: STATE[, no data]`")


def _readings(word: str) -> list[float | None]:
    many = TIMES.fullmatch(word)
    value, count = (many["value"], int(many["count"])) if many else (word, 1)
    return [None if value == "_" else float(value)] * count


@dataclass(slots=True)
class Round:
    """What the evaluator of a scenario sees: the time and the reading of now."""

    now_ns: int = 0
    reading: float | None = None

    def clock_ns(self) -> int:
        return self.now_ns

    def read(self, pool: Pool, window_s: int) -> Reading:  # noqa: ARG002  # a scenario has one load for all pools
        return Reading(self.reading, 0 if self.reading is None else 1, 1)


def failures(scenario: Scenario, rules: Sequence[Rule]) -> list[str]:
    """Play the scenario; returns a sentence `file:line: …` for every expectation that is not met."""
    now, book = Round(), MemoryBook()
    view, evaluator = AlertsView(rules, book), _evaluator(rules, now, book)
    met: dict[int, str] = {}
    for position, reading in enumerate(scenario.readings):
        now.now_ns, now.reading = position * scenario.every_ns, reading
        if now.now_ns in scenario.restarts:
            evaluator = _evaluator(rules, now, book)
        evaluator.evaluate()
        for wanted in scenario.expectations:
            if wanted.at_ns == now.now_ns:
                met[wanted.line] = _difference(wanted, view)
    return [
        f"{scenario.file}:{wanted.line}: {met.get(wanted.line, 'the load has no reading at that time')}"
        for wanted in scenario.expectations
        if met.get(wanted.line) != ""
    ]


def _evaluator(rules: Sequence[Rule], now: Round, book: MemoryBook) -> Evaluator:
    pools = [rule.pool or POOL for rule in rules]
    return Evaluator(rules, now.read, book, now.clock_ns, lambda: pools)


def _difference(wanted: Expectation, view: AlertsView) -> str:
    """Empty when an alert of the rule stands as wanted."""
    alerts = [alert for alert in view.states() if wanted.rule_id in {"", alert.rule_id}]
    if len({alert.rule_id for alert in alerts}) != 1:
        return "no such rule, or several: write `eval at TIME RULE: STATE`"
    found = alerts[0]
    if (found.state, found.no_data) == (wanted.state, wanted.no_data):
        return ""
    return f"expected {_told(wanted.state, no_data=wanted.no_data)}, is {_told(found.state, no_data=found.no_data)}"


def _told(state: str, *, no_data: bool) -> str:
    return f"{state}, no data" if no_data else state
