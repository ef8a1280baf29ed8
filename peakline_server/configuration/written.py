"""YAML nodes as text, lists and mappings of text: which type is meant is for the setting to say, not for YAML.

So a client id of `0123` stays what it is, and `no` is a country where text is wanted.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from peakline_server.configuration.catalogue import Setting, Steps
from peakline_server.configuration.given import Given, Inner, Origin, mistake
from peakline_server.configuration.mistakes import Mistake

_TAGS = "tag:yaml.org,2002:"
_TEXT_TAGS = {f"{_TAGS}{kind}" for kind in ("str", "int", "float", "bool", "null", "timestamp", "merge", "value")}
"""Kinds that YAML takes unquoted text for."""


@dataclass(slots=True)
class Told:
    """What a source says, and what is wrong with how it says it."""

    given: list[Given] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)

    def is_given(self, setting: Setting) -> bool:
        """Whether it says something about the setting."""
        return any(given.setting is setting for given in self.given)


class Writing:
    """Reads nodes; what is wrong is added to the mistakes of `told`.

    origin_of  where a node stands
    """

    def __init__(self, told: Told, origin_of: Callable[[yaml.Node], Origin]) -> None:
        self._told = told
        self.origin_of = origin_of

    def wrong(self, origin: Origin, path: Steps, reason: str, inner: Inner = ()) -> None:
        """Note a mistake."""
        self._told.mistakes.append(mistake(origin, path, reason, inner))

    def entries(self, node: yaml.MappingNode, path: Steps, inner: Inner = ()) -> Iterator[tuple[yaml.Node, yaml.Node]]:
        """(key, value) of a mapping; a key that stands twice counts the first time and is a mistake."""
        seen: set[str] = set()
        for key, value in node.value:
            if key.value in seen:
                self.wrong(self.origin_of(key), path, f"{key.value!r} stands here twice", inner)
            else:
                seen.add(key.value)
                yield key, value

    def given(self, setting: Setting, node: yaml.Node, origin: Origin, folder: Path) -> Given:
        """What a node says about a setting, as it is written."""
        places: dict[Inner, Origin] = {}
        spoilt: set[Inner] = set()
        value = self._value(node, _Way(setting.path, (), places, spoilt))
        return Given(setting, value, origin, folder, places, frozenset(spoilt))

    def _value(self, node: yaml.Node, way: "_Way") -> Any:
        way.places.setdefault(way.inner, self.origin_of(node))
        if isinstance(node, yaml.MappingNode):
            return dict(self._members(node, way))
        if isinstance(node, yaml.SequenceNode):
            return [self._value(entry, way.below(index)) for index, entry in enumerate(node.value)]
        if reason := _unusable(node):
            self.wrong(way.places[way.inner], way.path, reason, way.inner)
            way.spoilt.add(way.inner)
        return node.value

    def _members(self, node: yaml.MappingNode, way: "_Way") -> Iterator[tuple[str, Any]]:
        before = len(self._told.mistakes)
        for key, value in self.entries(node, way.path, way.inner):
            below = way.below(str(key.value))
            way.places[below.inner] = self.origin_of(key)
            yield str(key.value), self._value(value, below)
        if len(self._told.mistakes) > before:
            way.spoilt.add(way.inner)


@dataclass(frozen=True, slots=True)
class _Way:
    """Where the walk through a value is: what it finds there is added to `places` and `spoilt`."""

    path: Steps
    inner: Inner
    places: dict[Inner, Origin]
    spoilt: set[Inner]

    def below(self, step: str | int) -> "_Way":
        return _Way(self.path, (*self.inner, step), self.places, self.spoilt)


def is_empty(node: yaml.Node) -> bool:
    """Whether nothing stands there, or `null`."""
    return bool(node.tag == f"{_TAGS}null")


def _unusable(node: yaml.Node) -> str:
    """Why a single value cannot be used, '' when it can."""
    if node.tag not in _TEXT_TAGS:
        return "tags such as `!secret` mean nothing here; quote the value where it is text"
    return "nothing is given; write a value, or take the line out" if is_empty(node) else ""
