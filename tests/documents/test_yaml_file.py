"""Files that would exhaust the reader are refused with file, line and reason."""

from pathlib import Path

import pytest
import yaml

from documents.yaml_file import BYTES_MAX, DEPTH_MAX, VALUES_MAX, DocumentError, composed, place_of, read, read_node

BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 10)
)


def written(folder: Path, text: str) -> Path:
    path = folder / "one.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (BOMB, rf":\d+: with all its aliases the file has more than {VALUES_MAX:,} values"),
        ("a: &a\n  b: *a\n", rf":1: is nested deeper than {DEPTH_MAX} levels, or a part of itself"),
        ("a: " + "[" * 3000 + "]" * 3000, r":1: is nested deeper than \d+ levels"),
        ("a: 1\n? [b, c]\n: 2\n", ":2: a key must be text"),
        ("a: 1\nb: \x07\n", r":2: the character '\\x07' cannot stand in YAML"),
        ("a: 1\n\tb: 2\n", r":2: .*'\\t'"),
        ("a: 1\nb: [1\n", ":3: expected"),
        ("a: 1\n---\nb: 2\n", ":2: but found another document"),
        ("- a\n", ":1: `key: value` lines are wanted here"),
        ("", ":1: `key: value` lines are wanted here"),
        ("a: " + "x" * BYTES_MAX, rf": is longer than {BYTES_MAX:,} bytes, so it is no recipe"),
    ],
)
def test_a_wild_file_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(DocumentError, match=rf"one\.yaml{reason}"):
        read(written(tmp_path, text), "recipe")


@pytest.mark.parametrize(
    "text",
    [
        "password: hunter2: x\n",
        "password: *hunter2\n",
        "password: !hunter2!x y\n",
        "password: [&hunter2 a, &hunter2 b]\n",
        "password: 'hunter2\n",
        "password: %hunter2\n",
        "password: @hunter2\n",
        'password: "hunter2\\q"\n',
        "%TAG hunter2 x\n---\na: 1\n",
    ],
)
def test_what_stands_in_a_broken_line_is_not_repeated(tmp_path: Path, text: str) -> None:
    with pytest.raises(DocumentError, match=r"one\.yaml:\d+: ") as caught:
        read(written(tmp_path, text), "recipe")
    assert "hunter2" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_file_of_too_many_values_is_not_taken_apart_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("documents.yaml_file.VALUES_MAX", 10)
    with pytest.raises(DocumentError, match=r"^X:1: .* has more than 10 values"):
        composed("[" + "x, " * 20 + "\n]: [", "X")  # what comes later is no YAML, and is not reached
    assert composed("{a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, i: 9}", "X") is not None


def test_every_node_knows_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, "a: 1\n\nb:\n  c: 2\n")
    (_, (_, inner)) = read(path, "recipe").value
    assert (place_of(inner).file, place_of(inner).line) == (str(path), 4)


def test_an_empty_file_has_no_node(tmp_path: Path) -> None:
    assert read_node(written(tmp_path, "# nothing yet\n"), "recipe") is None


def test_text_from_elsewhere_is_complained_about_by_its_name() -> None:
    assert isinstance(composed('{"a": [1]}', "X"), yaml.MappingNode)
    with pytest.raises(DocumentError, match=r"^X:1: "):
        composed("{", "X")


def test_a_missing_or_binary_file_is_told_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"none\.yaml: cannot be read: No such file"):
        read(tmp_path / "none.yaml", "recipe")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DocumentError, match="is no UTF-8 text"):
        read(tmp_path / "binary", "recipe")
    with pytest.raises(DocumentError, match="is longer than"):
        read(Path("/dev/zero"), "recipe")


def test_a_name_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(DocumentError, match="is no file name"):
        read(Path("a\0.yaml"), "recipe")


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_bytes(b"\xef\xbb\xbfname: x\n")
    assert [key.value for key, _ in read(tmp_path / "one.yaml", "recipe").value] == ["name"]
