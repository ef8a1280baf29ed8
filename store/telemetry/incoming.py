"""Batches on their way into the embedded engine: files in the data folder, gone when the insert returns.

The driver would use the system's temporary folder, which may be small, and where a kill leaves telemetry behind.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from store.errors import MissingStoreError

FOLDER_NAME = "peakline_incoming"
PATTERN = frozenset("*?{}")
"""What the engine takes for a pattern in the path of a file; it knows no way to say otherwise."""


class Incoming:
    """The folder of batches in flight; its owner holds the store's lock, so leftovers of a kill are removed.

    raises  MissingStoreError for a path that the engine cannot read files from
    """

    def __init__(self, store: Path) -> None:
        # The engine resolves relative paths against a folder of its own.
        self.folder = store.resolve() / FOLDER_NAME
        if found := sorted(PATTERN & set(str(self.folder))):
            message = f"The telemetry store cannot lie in {store}: the path holds {' '.join(found)}; rename the folder."
            raise MissingStoreError(message)
        self.folder.mkdir(exist_ok=True)
        for leftover in self.folder.iterdir():
            leftover.unlink()

    @contextmanager
    def file(self, name: str, batch: pa.Table) -> Iterator[str]:
        """Path of an Arrow file with the batch, as a quoted SQL text; one at a time per name."""
        path = self.folder / f"{name}.arrow"
        try:
            with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, batch.schema) as writer:
                writer.write_table(batch)
            yield "'" + str(path).replace("\\", "\\\\").replace("'", "\\'") + "'"
        finally:
            path.unlink(missing_ok=True)
