"""The control database's file, readable by its owner only: it holds hashes of passwords."""

import os
from contextlib import suppress
from pathlib import Path

from store.addresses import parsed
from store.control.open import EXAMPLE, KINDS
from store.errors import MissingStoreError

PRIVATE = 0o600


def control_file(url: str) -> Path | None:
    """The file that a control URL names, None for a PostgreSQL.

    raises  MissingStoreError for a URL that names neither
    """
    address = parsed(url, "control store", KINDS, EXAMPLE)
    return Path(address.database) if address.drivername == "sqlite" and address.database else None


def keep_private(url: str) -> None:
    """Give the database's file mode 0600 before it is opened, and make it, empty, where there is none.

    SQLite gives the files beside it the same mode and owner. The file of another user is left as it is. A file that
    exists is never opened here: closing it would release the locks of this process.

    raises  MissingStoreError when it cannot be made
    """
    path = control_file(url)
    if path is None:
        return
    if not path.exists():
        _make(path)
    for one in (path, *(path.with_name(path.name + ending) for ending in ("-wal", "-shm"))):
        with suppress(FileNotFoundError, PermissionError):
            one.chmod(PRIVATE)


def _make(path: Path) -> None:
    try:
        folder = path.parent.stat()
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, PRIVATE))
        if os.geteuid() == 0 and folder.st_uid != 0:
            # What root makes for a service that runs as somebody else must be theirs.
            os.chown(path, folder.st_uid, folder.st_gid)
    except OSError as problem:
        message = f"The control store {path} cannot be made: {problem.strerror}."
        raise MissingStoreError(message) from problem
