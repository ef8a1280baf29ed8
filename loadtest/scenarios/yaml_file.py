"""A YAML file as nodes that know their lines, refused where it is wild: too large, too deep, or a part of itself."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

from vocabulary.errors import PeaklineError

BYTES_MAX: Final = 1 << 20
VALUES_MAX: Final = 50_000
DEPTH_MAX: Final = 20


class ScenarioError(PeaklineError):
    """A scenario or a fleet cannot be used; the message is `file:line: path: reason`."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: a file and a line in it."""

    file: str
    line: int

    def error(self, path: str, reason: str) -> ScenarioError:
        """The error to raise about it; `path` is empty for the document as a whole."""
        return ScenarioError(f"{self.file}:{self.line}: {path + ': ' if path else ''}{reason}")


def place_of(node: yaml.Node) -> Place:
    """The file and the line at which a node begins."""
    return Place(str(node.start_mark.name), node.start_mark.line + 1)


def read(path: Path) -> yaml.MappingNode:
    """The top mapping of a YAML file, which plain values can be made of: few enough, keys are text.

    raises  ScenarioError when the file is missing, is no text, no YAML, not made of `key: value` lines, or too large
    """
    node = _composed(path, _text(path))
    if not isinstance(node, yaml.MappingNode):
        raise Place(str(path), 1).error("", "`key: value` lines are wanted here")
    _Walk().look(node, 0)
    return node


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(BYTES_MAX + 1)
    except OSError as fault:
        raise ScenarioError(f"{path}: cannot be read: {fault.strerror}") from fault
    except ValueError as fault:
        raise ScenarioError(f"{str(path)!r} is no file name") from fault
    if len(content) > BYTES_MAX:
        raise ScenarioError(f"{path}: is longer than {BYTES_MAX:,} bytes, so it is no scenario or fleet")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise ScenarioError(f"{path}: is no UTF-8 text") from fault


def _composed(path: Path, text: str) -> yaml.Node | None:
    try:
        loader = yaml.SafeLoader(text)
        loader.name = str(path)  # marks of nodes carry it, so that a complaint names the file
        return loader.get_single_node()
    except yaml.MarkedYAMLError as fault:
        line = fault.problem_mark.line + 1 if fault.problem_mark else 1
        raise Place(str(path), line).error("", fault.problem or "is no YAML") from fault
    except yaml.reader.ReaderError as fault:
        line = text.count("\n", 0, fault.position) + 1
        raise Place(str(path), line).error(
            "", f"the character {text[fault.position]!r} cannot stand in YAML"
        ) from fault
    except RecursionError:
        raise Place(str(path), 1).error("", f"is nested deeper than {DEPTH_MAX} levels") from None


class _Walk:
    """Looks at each value once for each time that it would be made, aliases included."""

    def __init__(self) -> None:
        self._values = 0

    def look(self, node: yaml.Node, depth: int) -> None:
        self._values += 1
        if self._values > VALUES_MAX:
            raise place_of(node).error("", f"with all its aliases the file has more than {VALUES_MAX:,} values")
        if depth > DEPTH_MAX:
            raise place_of(node).error("", f"is nested deeper than {DEPTH_MAX} levels, or a part of itself")
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    raise place_of(key).error("", "a key must be text, not a list or `key: value` lines")
                self.look(value, depth + 1)
        elif isinstance(node, yaml.SequenceNode):
            for entry in node.value:
                self.look(entry, depth + 1)
