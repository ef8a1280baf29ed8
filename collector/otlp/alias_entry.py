"""One entry of an extra alias table: what may be written there, and what the field permits."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from collector.otlp.alias_tables import DERIVED_RANK, UNITS, Convert, Source, source_of
from collector.otlp.alias_values import UnfitError, flag, meant, several, text, whole, word, words
from collector.otlp.hops import hop_rules
from collector.otlp.key_classes import KeyClass, key_class
from vocabulary.fields import TIMES, Field, Kind

RANK_MAX = DERIVED_RANK - 2
SPAN_KINDS = range(1, 6)
DEBUG = Convert.DEBUG.value  # written as a unit
WORDS = tuple(convert.value for convert in Convert if convert not in {Convert.PLAIN, Convert.DEBUG})
COUNTS = frozenset({Convert.COUNT, Convert.GRPC_STATUS})
PERMITTED: Mapping[Kind, frozenset[Convert]] = {
    Kind.TEXT: frozenset(Convert) - COUNTS - {Convert.DEBUG},
    Kind.INTEGER: COUNTS | {Convert.OPTION},
    Kind.NUMBER: frozenset({Convert.OPTION}),
    Kind.FLAG: frozenset({Convert.OPTION}),
}
"""Which conversions give what a field of this kind holds."""

DISCREET = frozenset(
    {
        Convert.PSEUDONYM,
        Convert.COUNT,
        Convert.JSON_SCHEMA,
        Convert.CACHE_HIT,
        Convert.OPERATION_OF_KIND,
        Convert.OPERATION_OF_PATH,
    }
)
"""Conversions that keep none of the words of a text: a hash, a count, or a word of ours."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What was written for one source.

    node    the entry itself
    values  by key what was read, and nodes  by key where it stands; a key with an unfit value is in neither
    unfit   what could not be read
    """

    node: yaml.Node
    values: Mapping[str, Any]
    nodes: Mapping[str, yaml.Node]
    unfit: Sequence[UnfitError]

    def source(self, field: Field) -> Source:
        """The source, not numbered yet."""
        return source_of(field, dict(self.values))

    def complaints(self, field: Field) -> Iterator[UnfitError]:
        """Everything that is wrong with it, as a source of a field."""
        yield from self.unfit
        if not self.unfit:
            for key, reason in _contradictions(field, self.values):
                yield UnfitError(self.nodes.get(key, self.node), key if key in self.nodes else "", reason)


def read_entry(node: yaml.Node) -> Entry:
    """An entry as it is written: the name of a span attribute, or keys and values."""
    values: dict[str, Any] = {}
    nodes: dict[str, yaml.Node] = {}
    unfit: list[UnfitError] = []
    for key, place, value in _pairs(node):
        try:
            values[key] = _reader(key, place, nodes)(value)
            nodes[key] = value
        except UnfitError as fault:
            unfit.append(UnfitError(fault.node, key, fault.reason))
    return Entry(node, values, nodes, unfit)


def _pairs(node: yaml.Node) -> list[tuple[str, yaml.Node, yaml.Node]]:
    """(key, where it stands, value); a name alone is a span attribute."""
    if isinstance(node, yaml.MappingNode):
        return [(str(key.value), key, value) for key, value in node.value]
    return [("attribute", node, node)]


def _reader(key: str, place: yaml.Node, before: Collection[str]) -> Callable[[yaml.Node], object]:
    if key in before:
        raise UnfitError(place, key, "this key stands here twice")
    if key not in READERS:
        raise UnfitError(place, key, f"this key is unknown{meant(key, READERS)}; known here: {', '.join(READERS)}")
    return READERS[key]


def emitters() -> Collection[str]:
    """Names of the emitters that are told apart."""
    rules = hop_rules()
    return {emitter for _, emitter in (*rules.scopes, *rules.prefixes)} | {"unknown"}


READERS: Mapping[str, Callable[[yaml.Node], object]] = {
    "attribute": text,
    "resource": text,
    "json": text,
    "unit": word(lambda: (*UNITS, DEBUG)),
    "convert": word(lambda: WORDS),
    "values": words,
    "rank": whole(range(RANK_MAX + 1)),
    "engine": flag,
    "only": several(word(emitters)),
    "kinds": several(whole(SPAN_KINDS)),
}


def _contradictions(field: Field, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(key, reason) of what does not fit together, or not to the field."""
    if ("attribute" in values) == ("resource" in values):
        yield "resource", "either `attribute` or `resource` is wanted here, and not both"
        return
    if "unit" in values and field not in TIMES:
        yield "unit", f"{field.name} is no duration, so it has no unit"
    if "unit" in values and "convert" in values:
        yield "convert", "a value is given a unit or is converted, not both"
    if "values" in values and field.kind is not Kind.TEXT:
        yield "values", f"only a text is given other words, and {field.name} is of kind {field.kind}"
    if "engine" in values and "resource" not in values:
        yield (
            "engine",
            "only a resource attribute is taken from engines alone; for a span attribute use `only`",
        )
    for key in ("only", "kinds"):
        if key in values and "resource" in values:
            yield key, "a resource attribute means the same on all its spans"
    yield from _conversions(field, values)


def _conversions(field: Field, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    convert = Convert(values.get("convert", ""))
    if convert and convert not in PERMITTED[field.kind]:
        fitting = ", ".join(sorted(PERMITTED[field.kind] - {Convert.PLAIN}))
        yield "convert", f"{convert.value} gives no {field.kind}, which {field.name} is; known here: {fitting}"
    elif convert not in DISCREET:
        for key in ("attribute", "resource", "json"):
            if key in values and _tells_content(field, values[key]):
                yield key, f"by its name {values[key]!r} holds content or a secret, which {field.name} would show"


def _tells_content(field: Field, told: str) -> bool:
    """Whether the value under a name may be shown in no column: a secret never, words of people not as a text."""
    found = key_class(told)
    return found is KeyClass.SECRET or (field.kind is Kind.TEXT and found is not KeyClass.PLAIN)
