"""A YAML file as nodes that know their lines, refused where it is wild: too large, too deep, or a part of itself."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from vocabulary.errors import PeaklineError

BYTES_MAX: Final = 1 << 20
VALUES_MAX: Final = 50_000
DEPTH_MAX: Final = 20

_UNQUOTED = (
    ("undefined alias", "a value that starts with `*` repeats one that is marked with `&`, and none is; quote it"),
    ("duplicate anchor", "the same `&` mark stands in the file twice; quote a value that starts with `&`"),
    ("tag handle", "a value that starts with `!` is a tag, and this one has no meaning; quote it"),
)
"""What the parser says where it would repeat the text of a value, which may be a password -> what is said instead."""


class DocumentError(PeaklineError):
    """A file that a person wrote cannot be used; the message is `file:line: path: reason`."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: a file and a line in it."""

    file: str
    line: int

    def told(self, path: str, reason: str) -> str:
        """What is wrong there; `path` is empty for the document as a whole."""
        return f"{self.file}:{self.line}: {path + ': ' if path else ''}{reason}"

    def error(self, path: str, reason: str) -> DocumentError:
        """The error to raise about it."""
        return DocumentError(self.told(path, reason))


def place_of(node: yaml.Node) -> Place:
    """The file and the line at which a node begins."""
    return Place(str(node.start_mark.name), node.start_mark.line + 1)


def read(path: Path, what: str) -> yaml.MappingNode:
    """The top mapping of a YAML file, which plain values can be made of: few enough, keys are text.

    what    how messages name such a file, for example "scenario or fleet"
    raises  DocumentError when the file is missing, is no text, no YAML, not made of `key: value` lines, or too large
    """
    node = read_node(path, what)
    if not isinstance(node, yaml.MappingNode):
        raise Place(str(path), 1).error("", "`key: value` lines are wanted here")
    return node


def read_node(path: Path, what: str) -> yaml.Node | None:
    """As `read`, with whatever stands at the top; None for an empty file."""
    return composed(_text(path, what), str(path))


def composed(text: str, name: str) -> yaml.Node | None:
    """The nodes of YAML that came from elsewhere than a file.

    name    what complaints call it in place of a file
    raises  DocumentError
    """
    node = _composed(text, name)
    if node is not None:
        _Walk().look(node, 0)
    return node


def _text(path: Path, what: str) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(BYTES_MAX + 1)
    except OSError as fault:
        raise DocumentError(f"{path}: cannot be read: {fault.strerror}") from fault
    except ValueError as fault:
        raise DocumentError(f"{str(path)!r} is no file name") from fault
    if len(content) > BYTES_MAX:
        raise DocumentError(f"{path}: is longer than {BYTES_MAX:,} bytes, so it is no {what}")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DocumentError(f"{path}: is no UTF-8 text") from None  # the fault would carry the whole content


def _composed(text: str, name: str) -> yaml.Node | None:
    try:
        loader = _Loader(text)
        loader.name = name  # marks of nodes carry it, so that a complaint names the file
        return loader.get_single_node()
    except yaml.MarkedYAMLError as fault:
        line = fault.problem_mark.line + 1 if fault.problem_mark else 1
        raise Place(name, line).error("", _reason(fault)) from None  # its marks quote the line they point at
    except yaml.reader.ReaderError as fault:
        line = text.count("\n", 0, fault.position) + 1
        raise Place(name, line).error("", f"the character {text[fault.position]!r} cannot stand in YAML") from None
    except RecursionError:
        raise Place(name, 1).error("", f"is nested deeper than {DEPTH_MAX} levels") from None


def _reason(fault: yaml.MarkedYAMLError) -> str:
    said = str(fault.problem or fault.context or "is no YAML")
    return next((sentence for words, sentence in _UNQUOTED if words in said), said)


class _Loader(yaml.SafeLoader):
    """Stops at too many values, before all of a large file is taken apart."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._values = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """A value; the keys of a mapping come with an index of None, its values with their key."""
        self._values += parent is None or index is not None
        if self._values > VALUES_MAX and parent is not None:
            raise too_many(place_of(index if isinstance(index, yaml.Node) else parent))
        return super().compose_node(parent, index)


def too_many(place: Place) -> DocumentError:
    """The error about a file with more values than any file that a person wrote."""
    return place.error("", f"with all its aliases the file has more than {VALUES_MAX:,} values")


class _Walk:
    """Looks at each value once for each time that it would be made, aliases included."""

    def __init__(self) -> None:
        self._values = 0

    def look(self, node: yaml.Node, depth: int) -> None:
        self._values += 1
        if self._values > VALUES_MAX:
            raise too_many(place_of(node))
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
