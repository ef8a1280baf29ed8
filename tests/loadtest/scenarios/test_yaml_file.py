"""Files that would exhaust the reader are refused with file, line and reason."""

from pathlib import Path

import pytest

from loadtest.scenarios.yaml_file import BYTES_MAX, DEPTH_MAX, VALUES_MAX, ScenarioError, read

BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 10)
)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (BOMB, rf":\d+: with all its aliases the file has more than {VALUES_MAX:,} values"),
        ("a: &a\n  b: *a\n", rf":1: is nested deeper than {DEPTH_MAX} levels, or a part of itself"),
        ("a: &a [*a]\n", r":1: is nested deeper than \d+ levels, or a part of itself"),
        ("a: " + "[" * 3000 + "]" * 3000, r":1: is nested deeper than \d+ levels"),
        ("a: 1\n? [b, c]\n: 2\n", ":2: a key must be text"),
        ("a: 1\nb: \x07\n", r":2: the character '\\x07' cannot stand in YAML"),
        ("a: " + "x" * BYTES_MAX, rf": is longer than {BYTES_MAX:,} bytes"),
    ],
)
def test_a_wild_file_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "one.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError, match=rf"one\.yaml{reason}"):
        read(tmp_path / "one.yaml")


def test_a_file_without_end_is_refused() -> None:
    with pytest.raises(ScenarioError, match="is longer than"):
        read(Path("/dev/zero"))


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_bytes(b"\xef\xbb\xbfname: x\n")
    assert [key.value for key, _ in read(tmp_path / "one.yaml").value] == ["name"]


def test_a_name_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(ScenarioError, match="is no file name"):
        read(Path("a\0.yaml"))
