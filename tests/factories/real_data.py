"""Where the real data lies that the repository does not carry."""

from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def real_file(*parts: str) -> Path:
    """A file of ../shared/data; skips the test with a reason where it is absent."""
    path = DATA.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{'/'.join(parts)} is not here: ../shared/data is absent")
    return path
