"""The secret that salts hashes of content: made once, kept in the data folder, readable by its owner only."""

import os
import secrets
from pathlib import Path

_BYTES = 32


def content_salt(folder: Path) -> bytes:
    """The folder's salt, 32 bytes; made at the first call and synced to disk."""
    path = folder / "content.salt"
    if not path.exists():
        fresh = folder / "content.salt.new"
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(_BYTES))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    return path.read_bytes()
