"""Documents cannot lie: generated parts are current, links lead somewhere, commands exist."""

import re
from pathlib import Path

import pytest

from collector.ingest import RECENT_KEYS
from tests.house.tree import ROOT
from tools.docs import DECISION, broken_links, complaints, documents, fields_table, odd_decisions, renewed, stale
from vocabulary.fields import CANONICAL

MAKE_COMMAND = re.compile(r"^\s+make ([a-z]+)", re.MULTILINE)
MAKE_TARGET = re.compile(r"^([a-z]+):", re.MULTILINE)


def test_nothing_is_wrong_with_the_documents() -> None:
    assert complaints(ROOT) == []


def test_the_field_table_has_every_canonical_field_once() -> None:
    named = re.findall(r"^\| `(\w+)` \|", fields_table(), re.MULTILINE)
    assert named == [field.name for field in CANONICAL]


def test_every_make_command_in_the_documents_exists() -> None:
    targets = set(MAKE_TARGET.findall((ROOT / "Makefile").read_text()))
    named = {name for path in documents(ROOT) for name in MAKE_COMMAND.findall(path.read_text())}
    assert {"demo", "test", "check", "bench", "lock", "setup"} <= named <= targets


def test_every_target_explains_itself() -> None:
    lines = [line for line in (ROOT / "Makefile").read_text().splitlines() if MAKE_TARGET.match(line)]
    assert not [line for line in lines if " ## " not in line]


def test_every_peakline_command_in_the_documents_exists() -> None:
    known = set(re.findall(r"^## peakline ?(.*)$", (ROOT / "docs" / "cli.md").read_text(), re.MULTILINE))
    for path in documents(ROOT):
        for line in path.read_text().splitlines():
            if found := re.match(r"\s{4,}(?:\.venv/bin/)?peakline ([a-z-]+(?: [a-z-]+)?)", line):
                words = found[1].split()
                assert {words[0], " ".join(words)} & known, f"{path}: {line}"


@pytest.fixture
def house(tmp_path: Path) -> Path:
    (tmp_path / "docs" / "decisions").mkdir(parents=True)
    return tmp_path


def test_a_stale_part_is_noticed_and_renewed(house: Path) -> None:
    page = house / "docs" / "page.md"
    page.write_text("before\n<!-- generated: fields -->\nold\n<!-- end -->\nafter\n")
    assert list(stale(house)) == ["docs/page.md: its generated part is out of date; run `make docs`"]
    fresh = renewed(page.read_text())
    assert fresh.startswith("before\n<!-- generated: fields -->\n| field |")
    assert fresh.endswith("<!-- end -->\nafter\n")
    assert renewed(fresh) == fresh


def test_a_link_to_nowhere_is_noticed(house: Path) -> None:
    (house / "docs" / "page.md").write_text("[a](other.md) [b](page.md#part) [c](https://example.invalid/x)")
    assert list(broken_links(house)) == ["docs/page.md: other.md does not exist"]


def test_a_decision_out_of_turn_or_without_a_section_is_noticed(house: Path) -> None:
    sections = "## Status\n\n## Context\n\n## Decision\n\n## Consequences\n"
    (house / "docs" / "decisions" / "001-good.md").write_text(sections)
    (house / "docs" / "decisions" / "003-late.md").write_text(sections.replace("## Context\n", ""))
    assert len(list(odd_decisions(house))) == 2


def test_decisions_are_half_a_page() -> None:
    for path in (ROOT / "docs" / "decisions").glob("*.md"):
        assert DECISION.fullmatch(path.name)
        assert path.read_text().startswith(f"# {path.name[:3]} ")
        assert len(path.read_text().split()) < 300, path.name


def test_the_changelog_names_the_version_of_the_project() -> None:
    version = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert version is not None
    assert f"## {version[1]}" in (ROOT / "CHANGELOG.md").read_text()


def test_every_attribute_of_our_own_is_told_to_senders_and_has_one_spelling() -> None:
    aliases = (ROOT / "collector" / "otlp" / "aliases" / "peakline.yaml").read_text()
    known = set(re.findall(r"peakline\.[a-z_.]+[a-z]", aliases)) | {"peakline.synthetic", "peakline.hop_role"}
    assert known == set(re.findall(r"`(peakline\.[a-z_.]+)`", (ROOT / "docs" / "ingest.md").read_text()))


def test_senders_are_told_how_far_re_deliveries_are_recognised() -> None:
    told = re.findall(r"(\d{1,3}(?:,\d{3})+) spans", (ROOT / "docs" / "ingest.md").read_text())
    assert set(told) == {f"{RECENT_KEYS:,}"}


def test_documents_do_not_name_package_hosts() -> None:
    hosts = re.compile(r"pypi\.|pythonhosted|npmjs|deb\.debian", re.IGNORECASE)
    files = [*documents(ROOT), ROOT / "Makefile", ROOT / "pyproject.toml", *(ROOT / "tools").glob("*")]
    assert not [path.name for path in files if path.is_file() and hosts.search(path.read_text())]
