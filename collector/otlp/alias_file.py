"""The extra alias table: a user's own file in the format of aliases/*.yaml, read with all its mistakes at once."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml

from collector.otlp.alias_entry import Entry, read_entry
from collector.otlp.alias_tables import AliasTables, Source, extended
from collector.otlp.alias_values import UnfitError, meant
from documents.yaml_file import DocumentError, place_of, read
from vocabulary.fields import BY_NAME

WHAT = "alias table"
SOURCES_MAX = 1000
MISTAKES_MAX = 100
"""Sentences that are told; a file with more is no alias table with mistakes, but another file."""


class AliasFileError(DocumentError):
    """An extra alias table cannot be used.

    mistakes  every one as a sentence, `file:line: path: reason`
    """

    def __init__(self, mistakes: Sequence[str]) -> None:
        super().__init__("\n".join(mistakes))
        self.mistakes = tuple(mistakes)


def read_alias_tables(path: Path) -> AliasTables:
    """The packaged tables behind those of a file: its sources are asked first.

    raises  AliasFileError
    """
    return extended(read_sources(path))


def read_sources(path: Path) -> Sequence[Source]:
    """The sources of a file, not numbered yet.

    raises  AliasFileError when the file cannot be read or anything in it is wrong
    """
    try:
        top = read(path, WHAT)
    except DocumentError as fault:
        raise AliasFileError([str(fault)]) from fault
    reading = _Reading()
    reading.document(top)
    if reading.mistakes:
        told = sorted(reading.mistakes, key=lambda mistake: mistake[0])
        raise AliasFileError([sentence for _, sentence in told[:MISTAKES_MAX]])
    return reading.sources


class _Reading:
    """What a file says so far.

    mistakes  (line, sentence)
    """

    def __init__(self) -> None:
        self.sources: list[Source] = []
        self.mistakes: list[tuple[int, str]] = []
        self._known: set[tuple[Any, ...]] = set()

    def document(self, top: yaml.MappingNode) -> None:
        """Read the one key that a table has."""
        for key, value in self._pairs(top, "", ("fields",)):
            if key == "fields":
                self._fields(value)
        if not any(key.value == "fields" for key, _ in top.value):
            self._wrong(top, "", "'fields' is missing")

    def _fields(self, node: yaml.Node) -> None:
        if not isinstance(node, yaml.MappingNode):
            self._wrong(node, "fields", "lines such as `queue_s: [my.queue.time]` are wanted here")
            return
        for field_name, entries in self._pairs(node, "fields", BY_NAME):
            path = f"fields.{field_name}"
            if isinstance(entries, yaml.SequenceNode):
                for place, entry in enumerate(entries.value):
                    self._entry(field_name, f"{path}[{place}]", read_entry(entry))
            else:
                self._wrong(entries, path, "a list is wanted here, such as [my.attribute]")

    def _entry(self, field_name: str, path: str, entry: Entry) -> None:
        field = BY_NAME[field_name]
        complaints = list(entry.complaints(field))
        for fault in complaints:
            self._unfit(path, fault)
        if not complaints:
            self._add(path, entry, entry.source(field))

    def _add(self, path: str, entry: Entry, source: Source) -> None:
        key = (*source.meaning, source.engine, source.only, source.kinds)
        if key in self._known:
            self._wrong(entry.node, path, f"{source.label} stands in {source.field.name} twice")
        elif len(self.sources) == SOURCES_MAX:
            self._wrong(entry.node, path, f"the table has more than {SOURCES_MAX:,} sources")
        self._known.add(key)
        self.sources.append(source)

    def _pairs(self, node: yaml.MappingNode, path: str, known: Iterable[str]) -> list[tuple[str, yaml.Node]]:
        """Known keys and their values, each key once."""
        words = list(known)
        found: dict[str, yaml.Node] = {}
        for key, value in node.value:
            if key.value not in words:
                self._wrong(key, path, f"{key.value!r} is unknown here{meant(key.value, words)}")
            elif key.value in found:
                self._wrong(key, path, f"{key.value!r} stands here twice")
            else:
                found[key.value] = value
        return list(found.items())

    def _unfit(self, path: str, fault: UnfitError) -> None:
        self._wrong(fault.node, f"{path}.{fault.key}" if fault.key else path, fault.reason)

    def _wrong(self, node: yaml.Node, path: str, reason: str) -> None:
        place = place_of(node)
        self.mistakes.append((place.line, place.told(path, reason)))
