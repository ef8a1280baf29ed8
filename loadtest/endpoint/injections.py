"""Injected trouble: what a client meets on purpose, how often, and how often it has met it.

429, 503, 504, 529   refused at once; 429, 503 and 529 with Retry-After
timeout              no answer, until the client leaves
truncation           the answer is cut early, finish reason `length`
empty                200 without a token
mid_stream_error     after some tokens an error event, or a broken connection; 500 where nothing is streamed
slow_start           the first token is held back
stall                a pause between two chunks
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from vocabulary.errors import PeaklineError

Kind = Literal["429", "503", "504", "529", "timeout", "truncation", "empty", "mid_stream_error", "slow_start", "stall"]
KINDS: tuple[str, ...] = Kind.__args__  # type: ignore[attr-defined]  # what a Literal holds
BEHAVE = "behave"
_RULES = {
    "share": "a number from 0 to 1",
    "seconds": "a number from 0 to 3,600",
    "after": "a whole number from 0 up",
    "how": "event or broken",
    "retry_after": "a whole number from 0 to 3,600",
    "times": "a whole number from 0 up",
    "model": "a text",
}
_Seconds = Annotated[float, Meta(ge=0.0, le=3_600.0)]


class InjectionError(PeaklineError):
    """An injection that cannot be; the sentence says what is wrong."""


class Injection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One kind of trouble.

    share        part of the requests that meet it, 0..1
    seconds      how long slow_start and stall last
    after        tokens in front of a cut, an error or a stall; None: a third of the answer
    how          `event` or `broken`: how mid_stream_error ends the stream
    retry_after  seconds that 429, 503 and 529 ask for
    times        most requests that meet it, None: no limit
    model        only requests for this model, None: all
    """

    kind: Kind
    share: Annotated[float, Meta(ge=0.0, le=1.0)] = 1.0
    seconds: _Seconds = 5.0
    after: Annotated[int, Meta(ge=0)] | None = None
    how: Literal["event", "broken"] = "event"
    retry_after: Annotated[int, Meta(ge=0, le=3_600)] = 1
    times: Annotated[int, Meta(ge=0)] | None = None
    model: str | None = None

    @property
    def status(self) -> int | None:
        """The status that it answers at once; None where the request goes on."""
        return int(self.kind) if self.kind.isdigit() else None

    def place(self, tokens: int) -> int:
        """Token of an answer of so many tokens after which it strikes."""
        return min(tokens // 3 if self.after is None else self.after, tokens)


@dataclass(slots=True)
class Planted:
    """An injection at work; `seen` counts requests that it might have struck, `hits` those it did."""

    number: int
    injection: Injection
    chance: Random
    seen: int = 0
    hits: int = 0

    def strikes(self, model: str) -> bool:
        """Whether the next request for this model meets it; one draw per request, so a seed decides the run."""
        injection = self.injection
        if injection.model not in (None, model):
            return False
        self.seen += 1
        drawn = self.chance.random()
        if drawn >= injection.share or (injection.times is not None and self.hits >= injection.times):
            return False
        self.hits += 1
        return True

    @property
    def document(self) -> dict[str, Any]:
        """As it is shown."""
        return {"id": self.number, **msgspec.to_builtins(self.injection), "seen": self.seen, "hits": self.hits}


@dataclass(slots=True)
class Injections:
    """All that is injected now, and how often each kind has struck since the start."""

    seed: int
    planted: dict[int, Planted] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    _number: int = 0

    def plant(self, injection: Injection) -> Planted:
        """From now on requests meet it."""
        number = self.next_number()
        planted = Planted(number, injection, Random(f"{self.seed} {number}"))
        self.planted[number] = planted
        return planted

    def next_number(self) -> int:
        """Numbers of whatever is injected, from 1."""
        self._number += 1
        return self._number

    def next_for(self, model: str) -> Injection | None:
        """What the next request meets: the first planted one that strikes; the others draw all the same."""
        struck = [planted for planted in self.planted.values() if planted.strikes(model)]
        for also in struck[1:]:
            also.hits -= 1
        return self.count(struck[0].injection) if struck else None

    def count(self, injection: Injection) -> Injection:
        """Count a hit of its kind."""
        self.counts[injection.kind] += 1
        return injection


def injection_from_text(text: str) -> Injection:
    """`KIND[:SHARE[:name=value,…]]`, as the command line and the header say it.

    raises  InjectionError
    """
    kind, _, rest = text.strip().partition(":")
    share, _, options = rest.partition(":")
    fields: dict[str, Any] = {"kind": kind} | ({"share": share} if share else {})
    fields |= dict(_options(options))
    return injection_from(fields)


def injection_from(fields: dict[str, Any]) -> Injection:
    """An injection from a parsed document; numbers may be texts.

    raises  InjectionError
    """
    try:
        return msgspec.convert(fields, Injection, strict=False)
    except msgspec.ValidationError as problem:
        raise InjectionError(_sentence(fields, problem)) from None


def plainly(fields: dict[str, Any], problem: msgspec.ValidationError, rules: dict[str, str]) -> str:
    """What is wrong with one of the fields, in words.

    rules  names of the options, each with what it must be; '' where the name says it
    """
    told = str(problem)
    if match := re.search(r"(unknown|required) field `([^`]*)`", told):
        known = "is no option" if match[1] == "unknown" else "is missing"
        return f"{match[2]!r} {known}; options are {', '.join(rules)}"
    match = re.search(r"`\$\.(\w+)", told)
    name = match[1] if match else ""
    wanted = f"; it is {rules[name]}" if rules.get(name) else ""
    return f"{name} cannot be {fields.get(name)!r}{wanted}"


def _sentence(fields: dict[str, Any], problem: msgspec.ValidationError) -> str:
    kind = fields.get("kind")
    if kind in KINDS:
        return plainly(fields, problem, _RULES)
    if kind == BEHAVE:
        return f"{BEHAVE} changes replicas, not a request; it is for --inject and /simulate/faults"
    what = "no kind is named" if kind is None else f"there is no kind {kind!r}"
    return f"{what}; kinds are {', '.join(KINDS)}, and {BEHAVE} for replicas"


def _options(text: str) -> Iterator[tuple[str, str]]:
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if not equals:
            raise InjectionError(f"{part!r} is no option; write name=value")
        yield name.strip(), value.strip()
