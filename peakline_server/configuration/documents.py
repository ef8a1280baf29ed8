"""The configuration as documents: the table of all settings, an example file, a JSON Schema."""

import textwrap
from collections.abc import Iterator
from typing import Any, Final

from peakline_server.configuration.catalogue import Setting, Steps, plain, settings
from peakline_server.configuration.from_environment import OTHERS
from peakline_server.configuration.parts import Configuration, Part

_WIDTH: Final = 96
_NOTHING: Final[tuple[object, ...]] = (None, (), {})
_OURS: Final = {"unit", "example", "reloads", "title", "default"}
_HEAD: Final = """\
# Peakline: every setting, with its default where it has one.
# Lines that start with `# ` and a key are examples. `peakline config check` says whether all is well.
"""
_SERVICES: Final = """\
# - service: chat
#   model: "*"                       # any characters
#   tiers: {core: 0.5%, general: 1%, batch: 2%}
#   defects: [error, rejected, timeout, truncated, empty, slow, lost]
#   objectives:
#     ttft: 2s
#     e2e: 60s
#     tiers:
#       core: {ttft: 1s}
#   prices:
#     input_per_million: 3
#     cached_input_per_million: 0.3
#     output_per_million: 15
#     currency: USD
"""


def table() -> str:
    """All settings as a Markdown table."""
    lines = ["| setting | type | default | unit | meaning |", "|---|---|---|---|---|"]
    for one in settings():
        default = f"`{one.shown(one.default)}`" if one.shown(one.default) else ""
        cells = (f"`{one.name}`", one.kind, default, one.unit, one.sentence)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def variables_table() -> str:
    """The environment variables that are no settings, as a Markdown table."""
    lines = ["| variable | meaning |", "|---|---|", *(f"| `{name}` | {meaning} |" for name, meaning in OTHERS.items())]
    return "\n".join(lines) + "\n"


def example() -> str:
    """A complete file with a sentence on every setting; it passes the check as it is."""
    written: set[Steps] = set()
    lines = [_HEAD]
    for one in settings():
        lines += _heads(one, written)
        lines += _example(one)
    return "\n".join(lines).rstrip("\n") + "\n"


def _heads(one: Setting, written: set[Steps]) -> Iterator[str]:
    """The keys of the parts that a setting is the first of."""
    for depth in range(1, len(one.path)):
        part = one.path[:depth]
        if part not in written:
            written.add(part)
            yield f"{'  ' * (depth - 1)}{part[-1]}:"


def _example(one: Setting) -> Iterator[str]:
    indent = "  " * (len(one.path) - 1)
    for line in textwrap.wrap(f"{one.sentence}{f' Unit: {one.unit}.' if one.unit and ',' in one.unit else ''}", _WIDTH):
        yield f"{indent}# {line}"
    key = one.path[-1]
    if one.path == ("services",):
        yield f"{key}:"
        yield _SERVICES
    elif one.is_secret and not one.example.partition(":")[2]:
        yield f"{indent}# {key}_file: {one.example}"
    elif one.default in _NOTHING:
        yield f"{indent}# {key}: {one.example}"
    else:
        yield f"{indent}{key}: {one.shown(one.default)}"


def json_schema() -> dict[str, Any]:
    """JSON Schema of the file, for editors."""
    schema = _mended(Configuration.model_json_schema())
    for one in settings():
        part = schema if len(one.path) == 1 else schema["$defs"][_part(one.path).__name__]
        _complete(part["properties"], one)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "peakline.yaml"}


def _mended(schema: Any) -> Any:
    """Without what only our own code reads, and without `null`, which the file does not know."""
    if isinstance(schema, list):
        return [_mended(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    choices = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    if len(choices) == 1:
        schema = {**{key: value for key, value in schema.items() if key != "anyOf"}, **choices[0]}
    return {key: _mended(value) for key, value in schema.items() if key not in _OURS}


def _complete(properties: dict[str, Any], one: Setting) -> None:
    """Defaults as people write them; a secret may be kept in a file."""
    if one.default not in _NOTHING:
        properties[one.path[-1]]["default"] = one.shown(one.default) if one.is_size else plain(one.default)
    if one.is_secret:
        properties[f"{one.path[-1]}_file"] = {"type": "string", "description": f"File that holds it. {one.sentence}"}


def _part(path: Steps) -> type[Part]:
    part: Any = Configuration
    for step in path[:-1]:
        part = part.model_fields[step].annotation
    return part  # type: ignore[no-any-return]  # every step before the last leads to a part
