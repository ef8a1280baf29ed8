"""Values of an extra alias table, read from nodes that know their lines."""

from collections.abc import Callable, Collection
from typing import TypeVar

import yaml

from documents.nearest import nearest

Item = TypeVar("Item")

TEXT_MAX = 256  # characters; longer names of attributes are stored cut, and so are longer texts


class UnfitError(ValueError):
    """Why something cannot stand where it does: node, key inside the entry or '', and the reason."""

    def __init__(self, node: yaml.Node, key: str, reason: str) -> None:
        super().__init__(reason)
        self.node, self.key, self.reason = node, key, reason


def meant(word: str, known: Collection[str]) -> str:
    """`; did you mean ...?`, or nothing where no known word is like it."""
    found = nearest(word, known)
    return f"; did you mean {found!r}?" if found else ""


def text(node: yaml.Node) -> str:
    """A text that is not empty and not long."""
    if not isinstance(node, yaml.ScalarNode):
        raise UnfitError(node, "", "a text is wanted here")
    if node.tag != "tag:yaml.org,2002:str":
        raise UnfitError(node, "", f"a text is wanted here; write {node.value!r} in quotes if it is meant as one")
    if not node.value:
        raise UnfitError(node, "", "this text is empty")
    if len(node.value) > TEXT_MAX:
        raise UnfitError(node, "", f"at most {TEXT_MAX} characters are wanted here, these are {len(node.value)}")
    return str(node.value)


def word(known: Callable[[], Collection[str]]) -> Callable[[yaml.Node], str]:
    """A reader of one of some words."""

    def read(node: yaml.Node) -> str:
        found = text(node)
        if found not in known():
            raise UnfitError(node, "", f"{found!r} is none of {', '.join(sorted(known()))}{meant(found, known())}")
        return found

    return read


def whole(known: range) -> Callable[[yaml.Node], int]:
    """A reader of whole numbers of a range."""

    def read(node: yaml.Node) -> int:
        is_whole = isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:int"
        if not is_whole or node.value not in map(str, known):
            raise UnfitError(node, "", f"a whole number from {known.start} to {known.stop - 1} is wanted here")
        return int(node.value)

    return read


def flag(node: yaml.Node) -> bool:
    """Whether it is true: written out, since YAML also takes `on` and `yes` for it."""
    is_flag = isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:bool"
    if not is_flag or node.value not in {"true", "false"}:
        raise UnfitError(node, "", "true or false is wanted here")
    return bool(node.value == "true")


def several(read: Callable[[yaml.Node], Item]) -> Callable[[yaml.Node], list[Item]]:
    """A reader of lists."""

    def read_all(node: yaml.Node) -> list[Item]:
        if not isinstance(node, yaml.SequenceNode) or not node.value:
            raise UnfitError(node, "", "a list such as [a, b] is wanted here")
        return [read(item) for item in node.value]

    return read_all


def words(node: yaml.Node) -> dict[str, str]:
    """What the emitter says -> what it means."""
    if not isinstance(node, yaml.MappingNode) or not node.value:
        raise UnfitError(node, "", "pairs such as {what it says: what it means} are wanted here")
    found: dict[str, str] = {}
    for key, value in node.value:
        if key.value in found:
            raise UnfitError(key, "", f"{key.value!r} stands here twice")
        found[text(key)] = text(value)
    return found
