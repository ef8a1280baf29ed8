"""A traffic file is read row by row; what is wrong with it is told with file, line and reason."""

from pathlib import Path

import pytest

from loadtest.fleet.traffic_file import TrafficFileError, rows_of
from tests.factories.traffic_plans import written

COLUMNS = ("a", "b")
WRONG_HEADER = (
    "the header begins neither with TIMESTAMP,ContextTokens,GeneratedTokens (arrivals) nor with t_s,req_per_s (rates)"
)


def rows(path: str) -> list[tuple[int, list[str]]]:
    return list(rows_of(path, COLUMNS))


def test_rows_keep_their_line_numbers_and_lose_further_columns(tmp_path: Path) -> None:
    assert rows(written(tmp_path, "a,b,c\n1, 2,3\n\n4,5,6")) == [(2, ["1", "2"]), (4, ["4", "5"])]


def test_a_byte_order_mark_and_windows_line_ends_are_understood(tmp_path: Path) -> None:
    assert rows(written(tmp_path, "\ufeffa,b\r\n1,2\r\n")) == [(2, ["1", "2"])]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", None, "the file is empty"),
        ("\n\n", None, "the file is empty"),
        ("b,a\n1,2\n", 1, WRONG_HEADER),
        ("1,2\n3,4\n", 1, WRONG_HEADER),
        ("a,b\n1,2\n3\n", 3, "2 columns are wanted, 1 are there"),
        ("a,b\n1,2\n3," + "4" * 10_000, 3, "is longer than 10,000 characters"),
        ("a,b\n1,2,3\n", 2, "2 columns are wanted, 3 are there"),
    ],
)
def test_a_bad_file_is_refused_with_line_and_reason(tmp_path: Path, text: str, line: int | None, reason: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(TrafficFileError) as told:
        rows(path)
    assert (told.value.path, told.value.line, told.value.reason) == (path, line, reason)
    assert str(told.value) == f"{path}{'' if line is None else f', line {line}'}: {reason}"
    assert told.value.permanent


def test_a_missing_file_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(TrafficFileError, match=r"nowhere\.csv: cannot be read: No such file"):
        rows(str(tmp_path / "nowhere.csv"))


def test_a_file_that_is_no_text_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "picture").write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(TrafficFileError, match="is no text in UTF-8"):
        rows(str(tmp_path / "picture"))
