"""The alias tables as objects: canonical field -> ordered sources. The tables are data, in aliases/*.yaml.

Whoever reads attributes is given the tables that it reads by, so that others may be adopted while bodies are under way.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from importlib import resources
from typing import Any

import yaml

from vocabulary.fields import BY_NAME, CANONICAL, Field

RANK = 50
DERIVED_RANK = 1000
EARLY = 49.5
LATE = 999.0
"""When the resource is asked, between the ranks of span attributes: its sources below EARLY, and all others."""

EXTRA_RANK = -2 * DERIVED_RANK
"""Added to the ranks of an extra table: all of it is asked before the packaged tables, in the same order inside."""
UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


class Convert(StrEnum):
    """Named conversions of a raw value; `conversions.py` says what each does."""

    PLAIN = ""
    ADDRESS = "address"
    CACHE_HIT = "cache_hit"
    CALL_TYPE = "call_type"
    COUNT = "count"
    DEBUG = "debug"
    FINISH_REASON = "finish_reason"
    FORMAT = "format"
    GRPC_STATUS = "grpc_status"
    JSON_SCHEMA = "json_schema"
    OPERATION_OF_KIND = "operation_of_kind"
    OPERATION_OF_PATH = "operation_of_path"
    OPTION = "option"
    PATH = "path"
    PSEUDONYM = "pseudonym"
    SERVICE = "service"
    STABLE_INSTANCE = "stable_instance"
    TENANT = "tenant"
    UNSTABLE_INSTANCE = "unstable_instance"


LOSSY = frozenset(
    {
        Convert.COUNT,
        Convert.FINISH_REASON,
        Convert.FORMAT,
        Convert.GRPC_STATUS,
        Convert.JSON_SCHEMA,
        Convert.OPERATION_OF_KIND,
        Convert.OPERATION_OF_PATH,
        Convert.PATH,
        Convert.CALL_TYPE,
        Convert.DEBUG,
        Convert.ADDRESS,
    }
)
"""Conversions whose raw value cannot be told from the canonical one; such attributes stay in the maps."""


@dataclass(frozen=True, slots=True)
class Source:
    """One place where a canonical field may be found.

    number    position in `AliasTables.sources`, at least 1; 0 means no source
    name      attribute name
    resource  True for a resource attribute
    scale     factor to canonical units
    json_key  key inside a JSON object in the attribute's text, '' for the value itself
    engine    True where only an engine's resource tells it
    only      emitters for which the name means this, empty for all
    kinds     span kinds for which the name means this, empty for all
    """

    number: int
    field: Field
    name: str
    rank: int = RANK
    resource: bool = False
    convert: Convert = Convert.PLAIN
    scale: float = 1.0
    json_key: str = ""
    values: Mapping[str, str] = dataclasses.field(default_factory=dict)
    engine: bool = False
    only: frozenset[str] = frozenset()
    kinds: frozenset[int] = frozenset()

    @property
    def label(self) -> str:
        """How `sources` names it: attribute, attribute#key, or resource:attribute."""
        name = f"resource:{self.name}" if self.resource else self.name
        return f"{name}#{self.json_key}" if self.json_key else name

    @property
    def is_direct(self) -> bool:
        """The raw value is the canonical one but for its unit."""
        return not (self.convert or self.json_key or self.values)

    @property
    def is_lossless(self) -> bool:
        """The raw value can be told from the canonical one, so the attribute may leave the maps."""
        return not self.json_key and self.convert not in LOSSY and not self.values

    @property
    def step(self) -> float:
        """When a resource is asked for this source: EARLY or LATE among the ranks of its own table."""
        first = EXTRA_RANK if self.rank < 0 else 0
        return first + (EARLY if self.rank - first < EARLY else LATE)

    @property
    def is_limited(self) -> bool:
        """Some spans that have the attribute are not meant."""
        return bool(self.engine or self.only or self.kinds)

    @property
    def meaning(self) -> tuple[str, str, str, bool, Convert]:
        """What makes two sources of the packaged tables the same one, of which the first counts."""
        return self.field.name, self.name, self.json_key, self.resource, self.convert


@dataclass(frozen=True, slots=True, eq=False)
class AliasTables:
    """Every source, and where to look it up. Equal to itself only, so that answers can be remembered by it.

    sources       by number; number 0 is a placeholder
    by_attribute  span attribute -> its sources
    of_resource   canonical field -> its resource sources in order
    steps         when resources are asked, as ranks, ascending
    derived       number of each derived source by (field, label)
    """

    sources: tuple[Source, ...]
    by_attribute: Mapping[str, tuple[Source, ...]]
    of_resource: Mapping[str, tuple[Source, ...]]
    steps: tuple[float, ...]
    derived: Mapping[tuple[str, str], int]


DERIVED: tuple[tuple[str, str], ...] = (
    ("stream", "absent gen_ai.request.stream"),
    ("stream", "present time_to_first_chunk"),
    ("server_ttft_s", "queue_s + prefill_s"),
    ("client_ttft_s", "event First Token Stream Event"),
    ("error_type", "error.type"),
    ("error_type", "exception.type"),
    ("error_type", "status.message"),
    ("error_type", "http_status"),
    ("context_window", "status.message"),
    ("framework", "emitter"),
)
"""Sources that are no attribute of their own: (field, label)."""


@lru_cache(maxsize=1)
def alias_tables() -> AliasTables:
    """The packaged tables, aliases/*.yaml, read once.

    raises  KeyError or ValueError for a table that names an unknown field, unit or conversion
    """
    return extended(())


def extended(extra: Iterable[Source]) -> AliasTables:
    """The packaged tables with further sources, all of which are asked before them.

    extra  numbers do not matter; one that holds for every span takes the place of a packaged one of the same `meaning`
    """
    ahead = [replace(source, rank=source.rank + EXTRA_RANK) for source in extra]
    replaced = {source.meaning for source in ahead if not source.is_limited}
    packaged = [source for source in _packaged() if source.meaning not in replaced]
    derived = [Source(0, BY_NAME[field_name], label, rank=DERIVED_RANK) for field_name, label in DERIVED]
    told = [*ahead, *packaged, *derived]
    return _tables([replace(source, number=number) for number, source in enumerate(told, 1)])


def _tables(numbered: list[Source]) -> AliasTables:
    by_attribute: dict[str, list[Source]] = {}
    of_resource: dict[str, list[Source]] = {}
    for source in sorted(numbered, key=lambda source: (source.rank, source.number)):
        if source.resource:
            of_resource.setdefault(source.field.name, []).append(source)
        elif source.rank < DERIVED_RANK:
            by_attribute.setdefault(source.name, []).append(source)
    return AliasTables(
        sources=(Source(0, CANONICAL[0], ""), *numbered),
        by_attribute={name: tuple(found) for name, found in by_attribute.items()},
        of_resource={name: tuple(found) for name, found in of_resource.items()},
        steps=tuple(sorted({source.step for source in numbered if source.resource})),
        derived={(source.field.name, source.name): source.number for source in numbered[-len(DERIVED) :]},
    )


def _packaged() -> Iterable[Source]:
    distinct: dict[object, Source] = {}
    for name in yaml.safe_load(_read("order")):
        for source in _file(name):
            distinct.setdefault(source.meaning, source)
    return distinct.values()


def _file(name: str) -> Iterator[Source]:
    document: dict[str, Any] = yaml.safe_load(_read(name))
    for field_name, entries in document["fields"].items():
        for entry in entries:
            yield source_of(BY_NAME[field_name], {"attribute": entry} if isinstance(entry, str) else dict(entry))


def source_of(canonical: Field, entry: dict[str, Any]) -> Source:
    """A source, not numbered yet, from one entry of a table; uses the entry up.

    raises  KeyError or ValueError for an entry with unknown keys, units or conversions
    """
    unit = entry.pop("unit", "s")
    source = Source(
        number=0,
        field=canonical,
        resource="resource" in entry,
        name=entry.pop("resource", None) or entry.pop("attribute"),
        rank=entry.pop("rank", RANK),
        convert=Convert.DEBUG if unit == "debug" else Convert(entry.pop("convert", "")),
        scale=1.0 if unit == "debug" else UNITS[unit],
        json_key=entry.pop("json", ""),
        values=entry.pop("values", {}),
        engine=entry.pop("engine", False),
        only=frozenset(entry.pop("only", ())),
        kinds=frozenset(entry.pop("kinds", ())),
    )
    if entry:
        message = f"alias of {canonical.name} has unknown keys {sorted(entry)}"
        raise ValueError(message)
    return source


def _read(name: str) -> str:
    return resources.files("collector.otlp").joinpath("aliases", f"{name}.yaml").read_text(encoding="utf-8")
