"""The access book: tokens, users and sessions in the control database."""

from sqlalchemy import Engine

from store.control.access_sessions import SessionBook
from store.control.access_tokens import TokenBook
from store.control.access_users import UserBook


class SqlAccessBook:
    """Who may come in, on the control engine; survives restarts. Thread-safe as the engine is.

    Nothing is cached: what one process revokes is refused by the next request of every other.
    Everything in it raises StoreUnavailableError when the database is locked for long, full or gone.
    """

    def __init__(self, engine: Engine) -> None:
        self.tokens = TokenBook(engine)
        self.users = UserBook(engine)
        self.sessions = SessionBook(engine)
