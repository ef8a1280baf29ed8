"""Scenario and fleet files as YAML nodes that know their lines; what is wrong with one is a ScenarioError."""

from pathlib import Path

import yaml

from documents import yaml_file
from documents.yaml_file import BYTES_MAX, DEPTH_MAX, VALUES_MAX, DocumentError

__all__ = ["BYTES_MAX", "DEPTH_MAX", "VALUES_MAX", "Place", "ScenarioError", "place_of", "read"]


class ScenarioError(DocumentError):
    """A scenario or a fleet cannot be used; the message is `file:line: path: reason`."""


class Place(yaml_file.Place):
    """Where something stands in a scenario or a fleet."""

    __slots__ = ()

    def error(self, path: str, reason: str) -> ScenarioError:
        """The error to raise about it; `path` is empty for the document as a whole."""
        return ScenarioError(self.told(path, reason))


def place_of(node: yaml.Node) -> Place:
    """The file and the line at which a node begins."""
    found = yaml_file.place_of(node)
    return Place(found.file, found.line)


def read(path: Path) -> yaml.MappingNode:
    """The top mapping of a YAML file, which plain values can be made of: few enough, keys are text.

    raises  ScenarioError when the file is missing, is no text, no YAML, not made of `key: value` lines, or too large
    """
    try:
        return yaml_file.read(path, "scenario or fleet")
    except DocumentError as fault:
        raise ScenarioError(str(fault)) from fault
