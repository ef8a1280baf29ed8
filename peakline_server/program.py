"""How the person who reads a hint calls this program."""

import sys
from pathlib import Path

_NAME = "peakline"


def program(executable: str = sys.executable) -> str:
    """The path of this environment's `peakline`, relative below the working folder; `make` finds more than a shell."""
    installed = Path(executable).parent / _NAME
    if not installed.exists():
        return _NAME
    return str(installed.relative_to(Path.cwd()) if installed.is_relative_to(Path.cwd()) else installed)
