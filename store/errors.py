"""Why a store cannot be opened, in one human sentence each."""

from vocabulary.errors import PeaklineError


class StoreLockedError(PeaklineError):
    """Another process owns the folder."""


class NewerSchemaError(PeaklineError):
    """The store was written by a newer version of the product; it is left as it is."""


class MissingStoreError(PeaklineError):
    """The folder or the database of the store does not exist or cannot be used."""
