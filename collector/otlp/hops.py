"""Who sent a span, in which role, and whether it is a hop of an inference request. The rules are data, in hops.yaml."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache
from importlib import resources
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import yaml

from collector.otlp.attributes import Attributes, ValueType
from collector.otlp.columnar import Bools, Bytes8, Index, spread
from collector.otlp.remember import remembered
from vocabulary.roles import HopRole

OVERRIDE = "peakline.hop_role"
OPERATION = "gen_ai.operation.name"
SPAN_KIND = "openinference.span.kind"
ROUTES = ("http.route", "url.path", "http.target")
ENGINE_ROLES = frozenset({HopRole.ENGINE, HopRole.PREFILL, HopRole.DECODE})
ROLE_NAMES = frozenset(HopRole)
NO_HOP = frozenset({HopRole.DEPENDENCY, HopRole.OTHER})
SERVER, CLIENT = 2, 3
WORD_MAX = 200  # characters of an operation, span kind, role or path that the rules look at


class SpanFacts(NamedTuple):
    """What the rules look at; spans that agree in these are judged once."""

    scope: str
    name: str
    kind: int
    operation: str
    span_kind: str
    is_route: bool
    override: str
    marks: frozenset[str]


class Judgement(NamedTuple):
    """What the rules say."""

    emitter: str
    role: HopRole
    is_inference: bool
    is_engine: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of hops.yaml; an empty condition holds always."""

    emitters: frozenset[str]
    names: re.Pattern[str] | None
    kinds: frozenset[int]
    operations: frozenset[str]
    span_kinds: frozenset[str]
    has: frozenset[str]
    needs_route: bool
    unless_route: bool
    is_inference: bool
    role: str

    def holds(self, emitter: str, facts: SpanFacts) -> bool:
        """Whether every condition is met."""
        return (
            (not self.emitters or emitter in self.emitters)
            and (self.names is None or bool(self.names.match(facts.name)))
            and (not self.kinds or facts.kind in self.kinds)
            and (not self.operations or facts.operation in self.operations)
            and (not self.span_kinds or facts.span_kind in self.span_kinds)
            and (not self.has or bool(self.has & facts.marks))
            and (not self.needs_route or (facts.is_route and facts.kind == SERVER))
            and not (self.unless_route and facts.is_route and facts.kind == SERVER)
        )


@dataclass(frozen=True, slots=True)
class HopRules:
    """Compiled hops.yaml."""

    scopes: Sequence[tuple[str, str]]
    prefixes: Sequence[tuple[str, str]]
    rules: Sequence[Rule]
    routes: tuple[str, ...]
    frameworks: Mapping[str, str]
    has: frozenset[str]
    names: re.Pattern[str]


@dataclass(frozen=True)
class Hops:
    """Judgements of n spans.

    judgements  distinct ones
    index       (n,) which one each span has
    """

    judgements: Sequence[Judgement]
    index: Index

    def column(self, texts: Sequence[str]) -> pa.Array:
        """(n,) texts of one text per distinct judgement."""
        return spread(list(texts), self.index)

    def mask(self, values: Sequence[bool]) -> Bools:
        """(n,) booleans of one boolean per distinct judgement."""
        return np.array(values, np.bool_)[self.index]


@lru_cache(maxsize=1)
def hop_rules() -> HopRules:
    """The rules of hops.yaml, read once."""
    text = resources.files("collector.otlp").joinpath("hops.yaml").read_text(encoding="utf-8")
    document: dict[str, Any] = yaml.safe_load(text)
    emitters = document["emitters"]
    rules = [_rule(dict(entry)) for entry in document["hops"]]
    names = sorted({name for entry in document["hops"] for name in entry.get("names", ())})
    return HopRules(
        scopes=[(scope, entry["emitter"]) for entry in emitters for scope in entry.get("scopes", ())],
        prefixes=[(prefix, entry["emitter"]) for entry in emitters for prefix in entry.get("attributes", ())],
        rules=rules,
        routes=tuple(f"/{route}" for route in document["routes"]),
        frameworks=document["frameworks"],
        has=frozenset(name for rule in rules for name in rule.has),
        names=re.compile("|".join(translate(name) for name in names)),
    )


def judge_spans(
    attributes: Attributes, scopes: Sequence[str], scope_index: Index, names: pa.Array, kinds: Bytes8
) -> Hops:
    """Judge n spans by their scope, name, kind and attributes; every distinct combination once."""
    encoded = names.dictionary_encode()
    span_names = [_known_name(name) for name in encoded.dictionary.to_pylist()]
    told = [_texts_by_span(attributes, key, len(names)) for key in (OPERATION, SPAN_KIND, OVERRIDE)]
    routes = _routes(attributes, len(names))
    marks, mark_sets = _marks(attributes, len(names))
    columns = [scope_index, encoded.indices.to_numpy(), kinds, routes, marks, *(index for _, index in told)]
    first, index = _combinations(columns)
    judgements = []
    for row in first.tolist():
        operation, span_kind, override = (texts[codes[row]] for texts, codes in told)
        judgements.append(
            judge(
                SpanFacts(
                    scope=scopes[scope_index[row]],
                    name=span_names[columns[1][row]],
                    kind=int(kinds[row]),
                    operation=operation,
                    span_kind=span_kind.upper(),
                    is_route=bool(routes[row]),
                    override=override,
                    marks=mark_sets[marks[row]],
                )
            )
        )
    return Hops(judgements, index)


@lru_cache(maxsize=1 << 12)
def judge(facts: SpanFacts) -> Judgement:
    """Emitter, role and whether a span is an inference hop."""
    emitter = _emitter(facts)
    rule = next((rule for rule in hop_rules().rules if rule.holds(emitter, facts)), None)
    role, is_inference = _role(rule, facts)
    if facts.override in ROLE_NAMES:
        role = HopRole(facts.override)
        is_inference = role not in NO_HOP
    is_engine = role in ENGINE_ROLES or (role in NO_HOP and emitter in hop_rules().frameworks)
    return Judgement(emitter, role, is_inference, is_engine)


def _role(rule: Rule | None, facts: SpanFacts) -> tuple[HopRole, bool]:
    if rule is None:
        return HopRole.OTHER, False
    if rule.role == "by_kind":
        return HopRole.GATEWAY if facts.kind == SERVER else HopRole.CLIENT, rule.is_inference
    return HopRole(rule.role), rule.is_inference


def _emitter(facts: SpanFacts) -> str:
    rules = hop_rules()
    scope = facts.scope.lower()
    for prefix, emitter in rules.scopes:
        if scope.startswith(prefix):
            return emitter
    for prefix, emitter in rules.prefixes:
        if prefix in facts.marks:
            return emitter
    return "unknown"


def _rule(entry: dict[str, Any]) -> Rule:
    names = entry.get("names")
    emitter = entry.get("emitter", [])
    return Rule(
        emitters=frozenset([emitter] if isinstance(emitter, str) else emitter),
        names=re.compile("|".join(translate(name) for name in names)) if names else None,
        kinds=frozenset(entry.get("kinds", ())),
        operations=frozenset(entry.get("operations", ())),
        span_kinds=frozenset(entry.get("span_kinds", ())),
        has=frozenset(entry.get("has", ())),
        needs_route=entry.get("route", False),
        unless_route=entry.get("unless_route", False),
        is_inference=entry["inference"],
        role=entry["role"],
    )


@remembered(1 << 12)
def _known_name(name: str) -> str:
    """The name where a rule asks for it, else ''; keeps the combinations few."""
    return name if hop_rules().names.match(name) else ""


def _texts_by_span(attributes: Attributes, key: str, rows: int) -> tuple[list[str], Index]:
    """Distinct texts of an attribute and which one each span has; '' where it has none."""
    index = np.zeros(rows, np.int32)
    code = attributes.code(key)
    if code is None:
        return [""], index
    positions = attributes.positions(code)
    positions = positions[attributes.types[positions] == ValueType.TEXT]
    encoded = attributes.texts.take(pa.array(positions)).dictionary_encode()
    index[attributes.owner[positions]] = encoded.indices.to_numpy() + 1
    return ["", *(text[:WORD_MAX] for text in encoded.dictionary.to_pylist())], index


def _routes(attributes: Attributes, rows: int) -> Bools:
    """(n,) True where any of the path attributes is an inference route."""
    result = np.zeros(rows, np.bool_)
    for key in ROUTES:
        texts, index = _texts_by_span(attributes, key, rows)
        if len(texts) > 1:
            result |= np.array([_is_route(text) for text in texts], np.bool_)[index]
    return result


@remembered(1 << 12)
def _is_route(path: str) -> bool:
    return path.split("?", maxsplit=1)[0].rstrip("/").endswith(hop_rules().routes)


@remembered(1 << 14)
def _mark_of(name: str) -> frozenset[str]:
    """What the presence of an attribute says: its own name where a rule asks for it, and its emitter's prefixes."""
    rules = hop_rules()
    own = {name} & rules.has
    return frozenset(own | {prefix for prefix, _ in rules.prefixes if name.startswith(prefix)})


@remembered(256)
def _mark_bits(names: tuple[str, ...]) -> tuple[npt.NDArray[np.uint64], tuple[str, ...]]:
    """Per name the bits of its marks, and which mark each bit is."""
    sets = [_mark_of(name) for name in names]
    marks = tuple(sorted(frozenset[str]().union(*sets)))
    bits = [sum(1 << place for place, mark in enumerate(marks) if mark in found) for found in sets]
    return np.array(bits, np.uint64), marks


def _marks(attributes: Attributes, rows: int) -> tuple[Index, list[frozenset[str]]]:
    """Per span the set of marks of its attributes, as an index into distinct sets."""
    per_name, marks = _mark_bits(attributes.names)
    bits = np.zeros(rows, np.uint64)
    filled = np.flatnonzero(attributes.starts[1:] > attributes.starts[:-1])
    if len(filled):
        bits[filled] = np.bitwise_or.reduceat(per_name[attributes.codes], attributes.starts[filled])
    if (bits == bits[0]).all():
        return np.zeros(rows, np.int64), [_set_of(int(bits[0]), marks)]
    distinct, index = np.unique(bits, return_inverse=True)
    return index, [_set_of(int(value), marks) for value in distinct]


def _set_of(bits: int, marks: tuple[str, ...]) -> frozenset[str]:
    return frozenset(mark for place, mark in enumerate(marks) if bits >> place & 1)


def _combinations(columns: Sequence[Index | Bools | Bytes8]) -> tuple[Index, Index]:
    """First row of every distinct combination, and which combination each row has."""
    combined = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        width = int(column.max(initial=0)) + 1
        if width > 1:
            combined = combined * width + column
            if combined.max(initial=0) > 1 << 31:
                combined = np.unique(combined, return_inverse=True)[1].astype(np.int64)
    if not combined.any():
        return np.zeros(1, np.int64), combined
    _, first, index = np.unique(combined, return_index=True, return_inverse=True)
    return first, index
