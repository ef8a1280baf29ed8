"""YAML documents whose every complaint names the file and the line, and which can be laid over one another."""

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import msgspec
import yaml

from loadtest.scenarios.schema import DURATION
from loadtest.scenarios.yaml_file import Place, ScenarioError, place_of, read

__all__ = ["ScenarioError", "converted", "duration_s", "laid_over", "plain", "read", "without"]

Document = TypeVar("Document")
Steps = tuple[str | int, ...]

_DURATION = re.compile(DURATION)
_PART = re.compile(r"(?P<count>\d+(?:\.\d+)?)(?P<unit>[dhms])")
_UNITS_S = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0}
_PLACE = re.compile(r"(?P<reason>.*?)(?: - at `\$(?P<path>.*)`)?", re.DOTALL)
_STEP = re.compile(r"\.(?P<key>[^.\[]+)|\[(?P<index>\d+)\]")
_WORDS = {
    "str": "text",
    "int": "a number",
    "float": "a number",
    "bool": "true or false",
    "null": "empty",
    "date": "a date",
    "datetime": "a time",
    "array": "a list",
    "object": "`key: value` lines",
}
_FLOAT = re.compile(r"[-+]?\d+(?:\.\d*)?[eE][-+]?\d+", re.ASCII)
_BASE_60 = re.compile(r"[-+]?\d+(?::[0-5]?\d)+(?:\.\d*)?", re.ASCII)
_REASONS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"Object contains unknown field `(.+)`"), "unknown key {0!r}"),
    (re.compile(r"Object missing required field `(.+)`"), "{0!r} is missing"),
    (re.compile(r"Invalid (?:enum )?value '(.+)'"), "{0!r} is none of the words known here"),
    (re.compile(r"Expected `(?:float|int)(?: \| null)?`, got `(.+)`"), "a number is wanted here, this is {0}"),
    (re.compile(r"Expected `str(?: \| null)?`, got `(.+)`"), "text is wanted here, this is {0}; quote it"),
    (re.compile(r"Expected `array(?: \| null)?`, got `.+`"), "a list is wanted here, each entry starting with `- `"),
    (re.compile(r"Expected `object(?: \| null)?`, got `.+`"), "`key: value` lines are wanted here"),
    (re.compile(r"Expected `(?:float|int)` (.+)"), "the number must be {0}"),
    (
        re.compile(r"Expected `str` matching .+"),
        "a name of letters, digits, dots, dashes and underscores is wanted here",
    ),
)


def duration_s(text: str) -> float | None:
    """Seconds of `5d 10h 30m`, None for other text."""
    if not _DURATION.fullmatch(text.strip()):
        return None
    return sum(float(part["count"]) * _UNITS_S[part["unit"]] for part in _PART.finditer(text))


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
            raise place_of(entry).error(
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


def plain(node: yaml.Node) -> tuple[Any, dict[Steps, Place]]:
    """The document as plain values, and where each of them stands. Durations of keys in `_s` become seconds.

    raises  ScenarioError for a key that stands twice
    """
    places: dict[Steps, Place] = {}
    return _plain(node, (), places), places


def _plain(node: yaml.Node, path: Steps, places: dict[Steps, Place]) -> Any:
    places[path] = place_of(node)
    if isinstance(node, yaml.MappingNode):
        known: dict[str, Any] = {}
        for key, value in node.value:
            if key.value in known:
                raise place_of(key).error(_told(path), f"{key.value!r} stands here twice")
            known[key.value] = _plain(value, (*path, key.value), places)
            places[(*path, key.value)] = place_of(key)
        return known
    if isinstance(node, yaml.SequenceNode):
        return [_plain(entry, (*path, index), places) for index, entry in enumerate(node.value)]
    return _scalar(node, path)


def _scalar(node: yaml.Node, path: Steps) -> Any:
    value = _value(node, path)
    is_duration = (
        isinstance(value, str) and path and str(path[-1]).endswith("_s") and not str(path[-1]).endswith("per_s")
    )
    if not is_duration:
        return value
    seconds = duration_s(value)
    if seconds is None:
        raise place_of(node).error(_told(path), f"{value!r} is no duration such as 90, 5m or 2d 14h 30m")
    return seconds


def _value(node: yaml.Node, path: Steps) -> Any:
    """As YAML reads it, but `1e6` is a number there too, and `1:30` is not silently 90."""
    is_plain = getattr(node, "style", None) is None
    if is_plain and _BASE_60.fullmatch(node.value):
        raise place_of(node).error(_told(path), f"write {node.value} as 90 or 1h 30m, or quote it where it is text")
    if is_plain and _FLOAT.fullmatch(node.value):
        return float(node.value)
    try:
        return yaml.SafeLoader("").construct_object(node)
    except (ValueError, LookupError, yaml.YAMLError) as fault:
        reason = fault.problem if isinstance(fault, yaml.MarkedYAMLError) else f"{node.value!r} is no value of its kind"
        raise place_of(node).error(_told(path), reason or "is no YAML") from fault


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
            return sentence.format(*(_WORDS.get(word, word) for word in found.groups())), key
    return said, ""


def _told(path: Steps) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")
