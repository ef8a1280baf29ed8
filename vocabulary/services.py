"""What a service promises and what counts against it: risk thresholds, kinds that count, objectives, prices."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import sha256
from math import isfinite

from vocabulary.outcomes import DefectKind
from vocabulary.pools import Pool
from vocabulary.tiers import RISK_THRESHOLDS, ServiceTier

ALL_KINDS: DefectKind = ~DefectKind(0)
"""Every kind counts, as long as nothing else is configured."""


@dataclass(frozen=True, slots=True)
class Objectives:
    """Latencies that a completed request keeps to, in seconds; None promises nothing.

    ttft_s  until the first token, as the client saw it, else as the server did
    e2e_s   until the end
    raises  ValueError unless positive
    """

    ttft_s: float | None = None
    e2e_s: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("ttft", self.ttft_s), ("e2e", self.e2e_s)):
            if value is not None and not (isfinite(value) and value > 0):
                message = f"an objective is a positive number of seconds, {name} is {value}"
                raise ValueError(message)

    def or_else(self, wider: "Objectives") -> "Objectives":
        """These, with what they leave open from `wider`."""
        return Objectives(
            wider.ttft_s if self.ttft_s is None else self.ttft_s, wider.e2e_s if self.e2e_s is None else self.e2e_s
        )


NO_OBJECTIVES = Objectives()


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost.

    cached_input_per_million  of input tokens that a prefix cache served; None: as other input
    currency                  as it is shown, for example USD
    raises                    ValueError for a price below 0
    """

    input_per_million: float
    output_per_million: float
    cached_input_per_million: float | None = None
    currency: str = "USD"

    def __post_init__(self) -> None:
        for price in (self.input_per_million, self.output_per_million, self.cached_input_per_million):
            if price is not None and not (isfinite(price) and price >= 0):
                message = f"a price is a number that is 0 or more, not {price}"
                raise ValueError(message)


@dataclass(frozen=True)
class ServiceDefinition:
    """What holds for the pools whose service and model match; `*` stands for any characters, none included.

    risk_thresholds  by service tier, highest defect rate that it accepts, 0..1
    counted          kinds of defect that count in rates
    objectives       of every service tier that `tier_objectives` does not tell otherwise, latency by latency
    raises           ValueError for a threshold outside 0..1
    """

    service: str = "*"
    model: str = "*"
    risk_thresholds: Mapping[str, float] = field(default_factory=dict)
    counted: DefectKind = ALL_KINDS
    objectives: Objectives = NO_OBJECTIVES
    tier_objectives: Mapping[str, Objectives] = field(default_factory=dict)
    prices: Prices | None = None

    def __post_init__(self) -> None:
        for service_tier, threshold in self.risk_thresholds.items():
            if not 0 <= threshold <= 1:
                message = f"the risk threshold of {service_tier} is a share from 0 to 1, not {threshold}"
                raise ValueError(message)

    def __hash__(self) -> int:
        return hash((self.service, self.model, self.counted, self.prices))

    def matches(self, pool: Pool) -> bool:
        """Whether it says something about the pool."""
        return _matches(self.service, pool.service) and _matches(self.model, pool.model)

    @property
    def specificity(self) -> tuple[bool, int, bool, int]:
        """The service before the model, a whole name before a pattern, then the longer text."""
        return (*_specificity(self.service), *_specificity(self.model))


@dataclass(frozen=True)
class ServiceBook:
    """All definitions; of those that match a pool the most specific one holds alone, the first on ties.

    Every look-up has an answer: without a definition all kinds count, the thresholds are those of
    `vocabulary.tiers.RISK_THRESHOLDS`, and nothing is promised or priced.
    """

    definitions: tuple[ServiceDefinition, ...] = ()

    def definition(self, pool: Pool) -> ServiceDefinition:
        """What holds for the pool."""
        matching = [found for found in self.definitions if found.matches(pool)]
        return max(matching, key=lambda found: found.specificity, default=UNDEFINED)

    def threshold(self, pool: Pool, service_tier: str) -> float:
        """Highest defect rate (0..1) that the service tier accepts; that of `general` for one without its own."""
        told = self.definition(pool).risk_thresholds
        known = {**RISK_THRESHOLDS, **told}
        return known.get(service_tier, known[ServiceTier.GENERAL])

    def counted(self, pool: Pool) -> DefectKind:
        """The kinds of defect that count for the pool."""
        return self.definition(pool).counted

    def objectives(self, pool: Pool, service_tier: str) -> Objectives:
        """What a service tier of the pool promises."""
        found = self.definition(pool)
        return found.tier_objectives.get(service_tier, NO_OBJECTIVES).or_else(found.objectives)

    def prices(self, pool: Pool) -> Prices | None:
        """What tokens of the pool cost, None where nothing is configured."""
        return self.definition(pool).prices

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything in it: equal books, equal digests."""
        told = [
            {
                **_pattern_and_counted(found),
                "risk_thresholds": dict(found.risk_thresholds),
                "objectives": _objectives(found.objectives),
                "tier_objectives": {name: _objectives(told) for name, told in found.tier_objectives.items()},
                "prices": _prices(found.prices),
            }
            for found in self.definitions
        ]
        return sha256(_canonical(told).encode()).hexdigest()

    @cached_property
    def counted_text(self) -> str:
        """Canonical JSON of which kinds count where, and nothing else; `counted_book` reads it."""
        return _canonical([_pattern_and_counted(found) for found in self.definitions])


UNDEFINED = ServiceDefinition()
"""What holds for a pool that no definition names."""


def counted_book(text: str) -> ServiceBook:
    """A book with the counted kinds of `ServiceBook.counted_text`; it tells nothing else."""
    return ServiceBook(
        tuple(
            ServiceDefinition(found["service"], found["model"], counted=DefectKind(found["counted"]))
            for found in json.loads(text)
        )
    )


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(".*".join(re.escape(part) for part in text.split("*")), re.DOTALL)


def _matches(pattern: str, name: str) -> bool:
    return _pattern(pattern).fullmatch(name) is not None


def _specificity(pattern: str) -> tuple[bool, int]:
    return "*" not in pattern, len(pattern) - pattern.count("*")


def _pattern_and_counted(found: ServiceDefinition) -> dict[str, object]:
    return {"service": found.service, "model": found.model, "counted": int(found.counted)}


def _objectives(told: Objectives) -> dict[str, float | None]:
    return {"ttft_s": told.ttft_s, "e2e_s": told.e2e_s}


def _prices(told: Prices | None) -> dict[str, object] | None:
    names = ("input_per_million", "output_per_million", "cached_input_per_million", "currency")
    return None if told is None else {name: getattr(told, name) for name in names}


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
