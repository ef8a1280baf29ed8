"""One process owns an embedded store; a second one is told so at once."""

import fcntl
import os
from pathlib import Path

from store.errors import MissingStoreError, StoreLockedError

LOCK_NAME = "peakline.lock"


class FolderLock:
    """An exclusive advisory lock on a folder, held until `release` or the end of the process.

    raises  MissingStoreError when the folder cannot be made or written, StoreLockedError when another process has it
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            message = f"The data folder {folder} cannot be used: {error.strerror}."
            raise MissingStoreError(message) from error
        self._take()

    def _take(self) -> None:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            owner = os.pread(self._descriptor, 32, 0).decode("ascii", "replace").strip() or "unknown"
            os.close(self._descriptor)
            message = f"The data folder {self.folder} is in use by another process (pid {owner})."
            raise StoreLockedError(message) from error
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, f"{os.getpid()}\n".encode("ascii"), 0)

    def release(self) -> None:
        """Let the next process have the folder."""
        os.close(self._descriptor)
