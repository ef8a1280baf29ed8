"""YAML documents whose every complaint names the file and the line, and which can be laid over one another."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from vocabulary.errors import PeaklineError

Document = TypeVar("Document")
Steps = tuple[str | int, ...]

_DURATION = re.compile(r"(?:\d+(?:\.\d+)?[dhms](?:\s+|$))+")
_PART = re.compile(r"(?P<count>\d+(?:\.\d+)?)(?P<unit>[dhms])")
_UNITS_S = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0}
_PLACE = re.compile(r"(?P<reason>.*?)(?: - at `\$(?P<path>.*)`)?", re.DOTALL)
_STEP = re.compile(r"\.(?P<key>[^.\[]+)|\[(?P<index>\d+)\]")
_REASONS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"Object contains unknown field `(.+)`"), "unknown key {0!r}"),
    (re.compile(r"Object missing required field `(.+)`"), "{0!r} is missing"),
    (re.compile(r"Invalid (?:enum )?value '(.+)'"), "{0!r} is none of the words known here"),
    (re.compile(r"Expected `(?:float|int)(?: \| null)?`, got `(.+)`"), "a number is wanted here, this is a {0}"),
    (re.compile(r"Expected `str(?: \| null)?`, got `(.+)`"), "text is wanted here, this is a {0}; quote it"),
    (re.compile(r"Expected `array(?: \| null)?`, got `.+`"), "a list is wanted here, each entry starting with `- `"),
    (re.compile(r"Expected `object(?: \| null)?`, got `.+`"), "`key: value` lines are wanted here"),
    (re.compile(r"Expected `(?:float|int)` (.+)"), "the number must be {0}"),
    (
        re.compile(r"Expected `str` matching .+"),
        "a name of letters, digits, dots, dashes and underscores is wanted here",
    ),
)


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


def duration_s(text: str) -> float | None:
    """Seconds of `5d 10h 30m`, None for other text."""
    if not _DURATION.fullmatch(text.strip()):
        return None
    return sum(float(part["count"]) * _UNITS_S[part["unit"]] for part in _PART.finditer(text))


def read(path: Path) -> yaml.MappingNode:
    """The top mapping of a YAML file.

    raises  ScenarioError when the file is missing, is no text, no YAML, or not made of `key: value` lines
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as fault:
        raise ScenarioError(f"{path}: cannot be read: {fault.strerror}") from fault
    except UnicodeDecodeError as fault:
        raise ScenarioError(f"{path}: is no UTF-8 text") from fault
    loader = yaml.SafeLoader(text)
    loader.name = str(path)  # marks of nodes carry it, so that a complaint names the file
    try:
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as fault:
        line = fault.problem_mark.line + 1 if fault.problem_mark else 1
        raise Place(str(path), line).error("", fault.problem or "is no YAML") from fault
    if not isinstance(node, yaml.MappingNode):
        raise Place(str(path), 1).error("", "`key: value` lines are wanted here")
    return node


def without(node: yaml.MappingNode, key: str) -> tuple[yaml.MappingNode, yaml.Node | None]:
    """The mapping without a key, and what stood there."""
    rest = [(name, value) for name, value in node.value if name.value != key]
    found = next((value for name, value in node.value if name.value == key), None)
    return yaml.MappingNode(node.tag, rest, node.start_mark, node.end_mark), found


def laid_over(base: yaml.Node, change: yaml.Node, path: str = "") -> yaml.Node:
    """`base` with `change` laid over it: keys replace keys, entries of lists of named things change those of that name.

    raises  ScenarioError where an entry names nothing in `base`
    """
    if isinstance(base, yaml.MappingNode) and isinstance(change, yaml.MappingNode):
        return _mapping(base, change, path)
    if _is_named(base) and _is_named(change):
        return _named(base, change, path)
    return change


def _mapping(base: yaml.MappingNode, change: yaml.MappingNode, path: str) -> yaml.MappingNode:
    kept = {key.value: (key, value) for key, value in base.value}
    for key, value in change.value:
        below = f"{path}.{key.value}" if path else str(key.value)
        known = kept.get(key.value)
        kept[key.value] = (key, value if known is None else laid_over(known[1], value, below))
    return yaml.MappingNode(base.tag, list(kept.values()), change.start_mark, change.end_mark)


def _named(base: yaml.Node, change: yaml.Node, path: str) -> yaml.SequenceNode:
    entries = {_name(entry): entry for entry in base.value}
    for entry in change.value:
        name = _name(entry)
        if name not in entries:
            raise _place(entry).error(
                path, f"there is no {name!r} to change; there are: {', '.join(map(str, entries))}"
            )
        entries[name] = laid_over(entries[name], entry, f"{path}[{name}]")
    return yaml.SequenceNode(base.tag, list(entries.values()), base.start_mark, base.end_mark)


def _is_named(node: yaml.Node) -> bool:
    return isinstance(node, yaml.SequenceNode) and all(_name(entry) is not None for entry in node.value)


def _name(node: yaml.Node) -> str | None:
    if not isinstance(node, yaml.MappingNode):
        return None
    return next((str(value.value) for key, value in node.value if key.value == "name"), None)


def _place(node: yaml.Node) -> Place:
    return Place(str(node.start_mark.name), node.start_mark.line + 1)


def plain(node: yaml.Node) -> tuple[Any, dict[Steps, Place]]:
    """The document as plain values, and where each of them stands. Durations of keys in `_s` become seconds.

    raises  ScenarioError for a key that stands twice
    """
    places: dict[Steps, Place] = {}
    return _plain(node, (), places), places


def _plain(node: yaml.Node, path: Steps, places: dict[Steps, Place]) -> Any:
    places[path] = _place(node)
    if isinstance(node, yaml.MappingNode):
        known: dict[str, Any] = {}
        for key, value in node.value:
            if key.value in known:
                raise _place(key).error(_told(path), f"{key.value!r} stands here twice")
            known[key.value] = _plain(value, (*path, key.value), places)
            places[(*path, key.value)] = _place(key)
        return known
    if isinstance(node, yaml.SequenceNode):
        return [_plain(entry, (*path, index), places) for index, entry in enumerate(node.value)]
    return _scalar(node, path)


def _scalar(node: yaml.Node, path: Steps) -> Any:
    try:
        value = yaml.SafeLoader("").construct_object(node)
    except ValueError as fault:
        raise _place(node).error(_told(path), str(fault)) from fault
    is_duration = (
        isinstance(value, str) and path and str(path[-1]).endswith("_s") and not str(path[-1]).endswith("per_s")
    )
    if not is_duration:
        return value
    seconds = duration_s(value)
    if seconds is None:
        raise _place(node).error(_told(path), f"{value!r} is no duration such as 90, 5m or 2d 14h 30m")
    return seconds


def converted(node: yaml.Node, kind: type[Document], add: Callable[[Any], Any] = lambda value: value) -> Document:
    """The document as a struct; unknown keys, wrong types and bounds are refused.

    add     completes the plain values first
    raises  ScenarioError with file, line, path and reason
    """
    value, places = plain(node)
    try:
        return msgspec.convert(add(value), kind)
    except msgspec.ValidationError as fault:
        found = _PLACE.fullmatch(str(fault))
        assert found is not None
        path = tuple(_steps(found["path"] or ""))
        reason, key = _reason(found["reason"])
        raise _nearest(places, (*path, key) if key else path).error(_told(path), reason) from None


def _steps(text: str) -> Iterator[str | int]:
    for step in _STEP.finditer(text):
        yield step["key"] if step["key"] is not None else int(step["index"])


def _nearest(places: dict[Steps, Place], path: Steps) -> Place:
    """Where the value stands, or the nearest thing around it that stands somewhere."""
    while path not in places:
        path = path[:-1]
    return places[path]


def _reason(said: str) -> tuple[str, str]:
    """A sentence for a person, and the key that it is about where that is not the end of the path."""
    for pattern, sentence in _REASONS:
        found = pattern.fullmatch(said)
        if found:
            key = found[1] if sentence.startswith("unknown key") else ""
            return sentence.format(*found.groups()), key
    return said, ""


def _told(path: Steps) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")
