"""Secrets in files of their own."""

from pathlib import Path

import pytest

from peakline_server.configuration.secret_file import BYTES_MAX, SecretFileError, read_secret


@pytest.mark.parametrize("content", ["hunter2", "hunter2\n", "hunter2\r\n"])
def test_the_line_end_that_an_editor_adds_is_no_part_of_a_secret(tmp_path: Path, content: str) -> None:
    (tmp_path / "s").write_bytes(content.encode())
    assert read_secret("s", tmp_path) == "hunter2"


def test_spaces_and_further_lines_are_part_of_a_secret(tmp_path: Path) -> None:
    (tmp_path / "s").write_text(" a\nb \n")
    assert read_secret("s", tmp_path) == " a\nb "


@pytest.mark.parametrize("content", [b"", b"\n", b"\xff\xfe", b"x" * (BYTES_MAX + 1)])
def test_a_file_without_a_secret_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "s").write_bytes(content)
    with pytest.raises(SecretFileError):
        read_secret("s", tmp_path)


@pytest.mark.parametrize("written", ["hunter2", "hunter2\0", "~hunter2/x", ["hunter2"], "", {"hunter2": "x"}])
def test_a_secret_that_is_given_for_its_file_is_not_repeated(tmp_path: Path, written: object) -> None:
    with pytest.raises(SecretFileError) as caught:
        read_secret(written, tmp_path)
    assert "hunter2" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
