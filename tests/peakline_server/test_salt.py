"""The content salt is made once and is its owner's alone."""

from pathlib import Path

from peakline_server.salt import content_salt


def test_the_salt_stays_the_same_and_differs_between_folders(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    assert content_salt(one) == content_salt(one) != content_salt(other)
    assert len(content_salt(one)) == 32
    assert (one / "content.salt").stat().st_mode & 0o777 == 0o600
