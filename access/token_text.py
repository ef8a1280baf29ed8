"""Secrets of tokens and sessions: how they are made, read and told apart.

They are 256 random bits, so nobody can try them out, and one round of SHA-256 protects them in the database as well as
a slow hash would. Slow hashes are for passwords, which people choose; one per request would only be a way to overload
the server.
"""

import hmac
import re
import secrets
import string
from hashlib import sha256

_ALPHABET = string.ascii_letters + string.digits
_ID_LENGTH = 12
_SECRET_BYTES = 32
_SECRET_LENGTH = 43
_TOKEN = re.compile(r"pkl_([0-9A-Za-z]{12})_([0-9A-Za-z_-]{43})")
_TOKEN_LENGTH = len("pkl_") + _ID_LENGTH + 1 + _SECRET_LENGTH


def new_secret() -> str:
    """256 random bits as 43 characters that are safe in cookies and headers."""
    return secrets.token_urlsafe(_SECRET_BYTES)


def new_token() -> tuple[str, str]:
    """Public id and secret of a new token."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(_ID_LENGTH)), new_secret()


def token_text(token_id: str, secret: str) -> str:
    """A token as its owner keeps it."""
    return f"pkl_{token_id}_{secret}"


def parsed_token(text: str) -> tuple[str, str] | None:
    """Id and secret of a token's text; None for anything else, however long it is."""
    if len(text) != _TOKEN_LENGTH:
        return None
    found = _TOKEN.fullmatch(text)
    return (found[1], found[2]) if found else None


def is_secret(text: str) -> bool:
    """Whether a cookie has the length of a session's secret; nothing else is worth a look-up."""
    return len(text) == _SECRET_LENGTH and text.isascii()


def digest_of(secret: str) -> str:
    """What the database keeps of a secret: SHA-256, hexadecimal."""
    return sha256(secret.encode()).hexdigest()


def is_same(digest: str, other: str) -> bool:
    """Compare two digests in a time that does not depend on where they differ."""
    return hmac.compare_digest(digest, other)
