"""The book of API tokens; secrets are in it by digest only."""

from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import Engine, bindparam, insert, or_, select, update

from store.control.access_records import StoredToken
from store.control.access_rows import access_transaction, packed, token_of
from store.control.tables import access_tokens as tokens

# Built once: it runs at every request.
_FOUND = select(tokens).where(tokens.c.id == bindparam("token_id"))


class TokenBook:
    """Tokens on the control engine. Thread-safe as the engine is.

    raises  StoreUnavailableError when nothing can be read or written now
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def all(self) -> Sequence[StoredToken]:
        """All tokens, newest first, ended ones included."""
        wanted = select(tokens).order_by(tokens.c.created_ns.desc(), tokens.c.id)
        with access_transaction(self._engine) as connection:
            return [token_of(row) for row in connection.execute(wanted).mappings()]

    def found(self, token_id: str) -> tuple[StoredToken, str] | None:
        """A token and the digest of its secret, ended or not; None when there is none."""
        with access_transaction(self._engine) as connection:
            row = connection.execute(_FOUND, {"token_id": token_id}).mappings().one_or_none()
        return None if row is None else (token_of(row), row["digest"])

    def add(self, token: StoredToken, digest: str) -> None:
        """Keep a new token. Durable when it returns."""
        row = {**asdict(token), "tenants": packed(token.tenants), "digest": digest}
        with access_transaction(self._engine) as connection:
            connection.execute(insert(tokens).values(row))

    def revoke(self, token_id: str, at_ns: int, by: str) -> StoredToken | None:
        """End a token; one that was revoked before keeps its time. None when there is none."""
        this = update(tokens).where(tokens.c.id == token_id, tokens.c.revoked_ns.is_(None))
        with access_transaction(self._engine) as connection:
            connection.execute(this.values(revoked_ns=at_ns, revoked_by=by))
            row = connection.execute(_FOUND, {"token_id": token_id}).mappings().one_or_none()
        return None if row is None else token_of(row)

    def mark_used(self, token_id: str, at_ns: int) -> None:
        """Remember the use, unless a later one is known."""
        is_later = or_(tokens.c.last_used_ns.is_(None), tokens.c.last_used_ns < at_ns)
        with access_transaction(self._engine) as connection:
            connection.execute(update(tokens).where(tokens.c.id == token_id, is_later).values(last_used_ns=at_ns))
