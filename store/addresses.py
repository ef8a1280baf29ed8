"""Which database a URL names, and how messages name it: never with its user, password or options."""

from collections.abc import Mapping

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from store.errors import MissingStoreError


def parsed(url: str, what: str, kinds: Mapping[str, str], example: str) -> URL:
    """The URL in parts, with the driver that its kind of database is used with.

    what     how messages name the store, for example "control store"
    kinds    what may stand before `://` -> driver
    example  what to write instead
    raises   MissingStoreError, one sentence that holds nothing of an unreadable URL, for it may hold a password
    """
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):
        message = f"The {what} cannot be opened: this is no database URL; write {example}."
        raise MissingStoreError(message) from None
    if address.drivername not in kinds:
        message = f"The {what} cannot be opened: {address.drivername}:// is no database it can use; write {example}."
        raise MissingStoreError(message)
    return address.set(drivername=kinds[address.drivername])


def shown(address: URL) -> str:
    """The URL as messages may show it."""
    return URL.create(
        address.drivername, host=address.host, port=address.port, database=address.database
    ).render_as_string()
