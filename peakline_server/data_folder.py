"""What may lie in a data folder: a mistyped path must not fill somebody's folder of other things."""

from pathlib import Path

CONTROL_FILE = "control.sqlite"
LOST_AND_FOUND = "lost+found"
OWN = frozenset({"content.salt", CONTROL_FILE, "peakline.lock", "peakline.yaml", "telemetry", "tls", LOST_AND_FOUND})


def stranger(folder: Path) -> str | None:
    """A file that says that the folder is not ours, None where it is empty or holds something that a server made."""
    found = {path.name for path in folder.iterdir()}
    foreign = sorted(found - OWN)
    return foreign[0] if foreign and not found & OWN - {LOST_AND_FOUND} else None
