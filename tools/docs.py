"""Keeps the documents true: `python -m tools.docs write` renews their generated parts, `check` says what is wrong.

A generated part stands between `<!-- generated: NAME -->` and `<!-- end -->`.
"""

import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click

from loadtest.scenarios.catalogue import names
from loadtest.scenarios.page import catalogue_table, happenings_table, scenario_tables
from peakline_server.configuration.documents import example, table, variables_table
from vocabulary.fields import CANONICAL, Kind

ROOT = Path(__file__).resolve().parent.parent
PART = re.compile(r"(?P<start><!-- generated: (?P<name>[a-z-]+) -->\n)(?P<text>.*?)(?P<end><!-- end -->)", re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)#\s]+)(?:#[^)]*)?\)")
DECISION = re.compile(r"(?P<number>\d{3})-[a-z0-9-]+\.md")
SECTIONS = ["Status", "Context", "Decision", "Consequences"]
TYPES = {Kind.TEXT: "text", Kind.INTEGER: "integer", Kind.NUMBER: "number", Kind.FLAG: "yes or no"}


def fields_table() -> str:
    """The canonical fields as a Markdown table."""
    lines = ["| field | type | asked first | meaning |", "|---|---|---|---|"]
    lines += [f"| `{field.name}` | {TYPES[field.kind]} | {field.prefer} | {field.sentence} |" for field in CANONICAL]
    return "\n".join(lines) + "\n"


def commands(name: str, command: click.Command, parent: click.Context | None = None) -> Iterator[tuple[str, str]]:
    """(name, help) of a command and of all commands below it."""
    context = click.Context(command, info_name=name, parent=parent, max_content_width=100, terminal_width=100)
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            yield from commands(inner, command.commands[inner], context)


def command_help() -> str:
    """The help of every command, as it is printed."""
    from peakline_server.main import main

    parts = [f"## {path}\n\n```\n{text}\n```\n" for path, text in commands("peakline", main)]
    return "\n".join(parts)


def configuration_example() -> str:
    """The complete configuration file, as it is printed."""
    return f"```yaml\n{example()}```\n"


GENERATORS: dict[str, Callable[[], str]] = {
    "fields": fields_table,
    "commands": command_help,
    "scenarios": catalogue_table,
    "happenings": happenings_table,
    "settings": table,
    "variables": variables_table,
    "configuration-example": configuration_example,
    **{f"scenario-{name}": partial(scenario_tables, name) for name in names()},
}


def documents(root: Path) -> list[Path]:
    """Every Markdown document of the product."""
    top = [root / "README.md", root / "CHANGELOG.md", root / "sdk" / "README.md"]
    return [*(path for path in top if path.exists()), *sorted((root / "docs").rglob("*.md"))]


def renewed(text: str) -> str:
    """A document with its generated parts as they must be now."""
    return PART.sub(lambda part: part["start"] + GENERATORS[part["name"]]() + part["end"], text)


def stale(root: Path) -> Iterator[str]:
    """Documents whose generated parts are out of date."""
    for path in documents(root):
        text = path.read_text(encoding="utf-8")
        if renewed(text) != text:
            yield f"{path.relative_to(root)}: its generated part is out of date; run `make docs`"


def broken_links(root: Path) -> Iterator[str]:
    """Links to files that are not there."""
    for path in documents(root):
        for link in LINK.finditer(path.read_text(encoding="utf-8")):
            target = link["target"]
            if "://" not in target and not (path.parent / target).exists():
                yield f"{path.relative_to(root)}: {target} does not exist"


def odd_decisions(root: Path) -> Iterator[str]:
    """Decision records that are not numbered in turn or lack a section."""
    records = sorted((root / "docs" / "decisions").glob("*.md"))
    for number, path in enumerate(records, 1):
        name = DECISION.fullmatch(path.name)
        if name is None or int(name["number"]) != number:
            yield f"docs/decisions/{path.name}: expected {number:03d}-some-words.md"
        text = path.read_text(encoding="utf-8")
        if re.findall(r"^## (.+)$", text, re.MULTILINE) != SECTIONS:
            yield f"docs/decisions/{path.name}: its sections must be {', '.join(SECTIONS)}"


def complaints(root: Path) -> list[str]:
    """Everything wrong with the documents."""
    return [*stale(root), *broken_links(root), *odd_decisions(root)]


def write(root: Path) -> None:
    """Renew the generated parts."""
    for path in documents(root):
        path.write_text(renewed(path.read_text(encoding="utf-8")), encoding="utf-8")


def main(verb: str) -> int:
    """Run one verb; returns the exit code."""
    if verb == "write":
        write(ROOT)
    found = complaints(ROOT)
    for complaint in found:
        print(complaint, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
