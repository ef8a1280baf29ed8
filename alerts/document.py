"""A YAML document read key by key: every complaint names the file and the line, and no key goes unread."""

import re
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

import yaml

from documents.yaml_file import DocumentError, read_node
from vocabulary.pools import SECOND_NS

Choice = TypeVar("Choice", bound=StrEnum)

DURATION = re.compile(r"(?P<count>\d+(?:\.\d+)?)(?P<unit>ms|s|m|h)")
UNITS_NS = {"ms": SECOND_NS // 1000, "s": SECOND_NS, "m": 60 * SECOND_NS, "h": 3600 * SECOND_NS}


class RuleFileError(DocumentError):
    """A rules or scenario file cannot be used; the message starts with `file:line:`."""


def duration_ns(text: str) -> int:
    """Nanoseconds of `500ms`, `30s`, `5m` or `1h`.

    raises  ValueError for anything else
    """
    match = DURATION.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no duration such as 30s, 5m or 1h")
    return int(float(match["count"]) * UNITS_NS[match["unit"]])


class Block:
    """One mapping of the document. Take its keys, then call `finish`, which refuses keys that nobody asked for."""

    def __init__(self, file: str, node: yaml.Node) -> None:
        self.file = file
        self.line = node.start_mark.line + 1
        self._known: list[str] = []
        if not isinstance(node, yaml.MappingNode):
            raise self.error("`key: value` lines are wanted here")
        self._nodes: dict[str, yaml.Node] = {}
        for key, value in node.value:
            if key.value in self._nodes:
                raise self.error(f"{key.value!r} stands here twice", key)
            self._nodes[key.value] = value

    def error(self, message: str, node: yaml.Node | None = None) -> RuleFileError:
        """An error at `node`, or at the first line of this block."""
        line = self.line if node is None else node.start_mark.line + 1
        return RuleFileError(f"{self.file}:{line}: {message}")

    def refuse(self, key: str, message: str) -> RuleFileError:
        """An error at the value of `key`."""
        return self.error(message, self._nodes.get(key))

    def has(self, key: str) -> bool:
        """Whether the key is given; asking makes it a known key."""
        self._know(key)
        return key in self._nodes

    def _know(self, key: str) -> None:
        if key not in self._known:
            self._known.append(key)

    def _node(self, key: str) -> yaml.Node:
        self._know(key)
        if key not in self._nodes:
            raise self.error(f"{key!r} is missing")
        return self._nodes[key]

    def _scalar(self, key: str, read: Callable[[str], Choice | str | float | int]) -> Choice | str | float | int:
        node = self._node(key)
        if not isinstance(node, yaml.ScalarNode) or not node.value:
            raise self.error(f"{key!r} wants one value", node)
        try:
            return read(node.value)
        except ValueError as fault:
            raise self.error(f"{key!r}: {fault}", node) from fault

    def is_text(self, key: str) -> bool:
        """Whether the value is a single word or number, not a block."""
        return isinstance(self._nodes.get(key), yaml.ScalarNode)

    def text(self, key: str) -> str:
        """The value as it is written."""
        return str(self._scalar(key, str))

    def number(self, key: str) -> float:
        """A finite number."""
        return float(self._scalar(key, finite))

    def duration(self, key: str, default_ns: int | None = None) -> int:
        """Nanoseconds; `default_ns` when the key is absent."""
        if default_ns is not None and not self.has(key):
            return default_ns
        return int(self._scalar(key, duration_ns))

    def choice(self, key: str, choices: type[Choice], default: Choice | None = None) -> Choice:
        """A member of `choices`; `default` when the key is absent."""
        if default is not None and not self.has(key):
            return default
        return choices(str(self._scalar(key, lambda word: one_of(word, choices))))

    def block(self, key: str) -> "Block":
        """The mapping below `key`."""
        return Block(self.file, self._node(key))

    def blocks(self, key: str) -> list["Block"]:
        """The mappings listed below `key`."""
        node = self._node(key)
        if not isinstance(node, yaml.SequenceNode):
            raise self.error(f"{key!r} wants a list, each entry starting with `- `", node)
        return [Block(self.file, entry) for entry in node.value]

    def finish(self) -> None:
        """Refuse keys that nobody asked for."""
        for key, node in self._nodes.items():
            if key not in self._known:
                raise self.error(f"unknown key {key!r}; known here: {', '.join(self._known)}", node)


def finite(text: str) -> float:
    """A finite number.

    raises  ValueError
    """
    try:
        number = float(text)
    except ValueError:
        raise ValueError(f"{text!r} is no number") from None
    if number - number != 0:  # nan and the infinities
        raise ValueError(f"{text} is not finite")
    return number


def one_of(word: str, choices: type[StrEnum]) -> str:
    """`word` if it is a member.

    raises  ValueError that lists the members
    """
    if word not in {*choices}:
        raise ValueError(f"{word!r} is none of {', '.join(choices)}")
    return word


def read_document(path: Path) -> Block:
    """The top mapping of a YAML file.

    raises  RuleFileError when the file is missing, no text or no YAML
    """
    try:
        node = read_node(path, "rules file")
    except DocumentError as fault:
        raise RuleFileError(str(fault)) from fault
    if node is None:
        raise RuleFileError(f"{path}:1: the file is empty")
    return Block(str(path), node)
