import re
from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alerts.document import RuleFileError, duration_ns, read_document


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


def written(folder: Path, text: str) -> Path:
    path = folder / "file.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "expected"),
    [("500ms", 500_000_000), ("30s", 30_000_000_000), ("1.5m", 90_000_000_000), ("1h", 3_600_000_000_000)],
)
def test_a_duration_has_a_unit(text: str, expected: int) -> None:
    assert duration_ns(text) == expected


@given(st.text(alphabet="0123456789smh. -", max_size=6))
def test_a_duration_is_read_or_refused(text: str) -> None:
    is_duration = re.fullmatch(r"[0-9]+(\.[0-9]+)?(ms|s|m|h)", text) is not None
    with nullcontext() if is_duration else pytest.raises(ValueError, match="no duration"):
        assert duration_ns(text) >= 0


def test_values_are_taken_as_they_are_written(tmp_path: Path) -> None:
    block = read_document(written(tmp_path, "id: no\nat: 4\nfor: 5m\nhue: red\nlist:\n- {a: 1}\n- {a: 2}\n"))
    assert block.text("id") == "no"
    assert block.number("at") == 4.0
    assert block.duration("for") == 300_000_000_000
    assert block.choice("hue", Colour) is Colour.RED
    assert [inner.number("a") for inner in block.blocks("list")] == [1.0, 2.0]
    block.finish()


def test_defaults_stand_in_for_absent_keys(tmp_path: Path) -> None:
    block = read_document(written(tmp_path, "a: 1"))
    assert block.duration("for", 7) == 7
    assert block.choice("hue", Colour, Colour.BLUE) is Colour.BLUE


def test_an_unknown_key_is_refused_with_its_line_and_the_known_ones(tmp_path: Path) -> None:
    path = written(tmp_path, "a: 1\nb: 2\n")
    block = read_document(path)
    block.text("a")
    with pytest.raises(RuleFileError) as refusal:
        block.finish()
    assert str(refusal.value) == f"{path}:2: unknown key 'b'; known here: a"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", ":1: the file is empty"),
        ("- a", ":1: `key: value` lines are wanted here"),
        ("a: 1\nb: [", ":2: "),
        ("a: 1\na: 2", ":2: 'a' stands here twice"),
        ("b: 1", ":1: 'a' is missing"),
        ("a: one", ":1: 'a': 'one' is no number"),
        ("a: .nan", ":1: 'a': '.nan' is no number"),
        ("a: inf", ":1: 'a': inf is not finite"),
        ("a: four", ":1: 'a': 'four' is no number"),
        ("a:", ":1: 'a' wants one value"),
        ("a: {b: 1}", ":1: 'a' wants one value"),
    ],
)
def test_a_document_that_cannot_be_used_says_where(tmp_path: Path, text: str, complaint: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(RuleFileError) as refusal:
        read_document(path).number("a")
    assert str(refusal.value).startswith(f"{path}{complaint}")


def test_a_choice_lists_what_may_be_chosen(tmp_path: Path) -> None:
    with pytest.raises(RuleFileError, match="'green' is none of red, blue"):
        read_document(written(tmp_path, "hue: green")).choice("hue", Colour)


def test_a_list_is_wanted_where_a_list_is_wanted(tmp_path: Path) -> None:
    with pytest.raises(RuleFileError, match="wants a list"):
        read_document(written(tmp_path, "rules: {a: 1}")).blocks("rules")


def test_a_missing_or_binary_file_is_told_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(RuleFileError, match="cannot be read: No such file"):
        read_document(tmp_path / "absent.yaml")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RuleFileError, match="is no UTF-8 text"):
        read_document(tmp_path / "binary")
