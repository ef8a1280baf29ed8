"""Where a browser goes after log-in: a path of this server, never another site."""

from urllib.parse import unquote

from starlette.types import Scope

HOME = "/"
_LENGTH_MAX = 2000
_UNQUOTED_MAX = 4
_OWN = ("/login", "/logout")


def safe_next(text: str) -> str:
    """The address if it is a path here, else the home page.

    Browsers take two slashes, or a slash and a backslash, for another host, and skip tabs and line breaks in
    between: none of them may appear, however often it is encoded.
    """
    return text if len(text) <= _LENGTH_MAX and _is_local(text) else HOME


def _is_local(text: str) -> bool:
    if not text.startswith("/") or not text.isascii():
        return False
    if " " in text or not _is_plain(text):
        return False
    path = text.partition("?")[0]
    for _ in range(_UNQUOTED_MAX):
        if path.startswith(("//", *_OWN)) or not _is_plain(path):
            return False
        encoded, path = path, unquote(path)
        if path == encoded:
            return True
    return False


def _is_plain(text: str) -> bool:
    return text.isprintable() and "\\" not in text


def asked_path(scope: Scope) -> str:
    """Path and query of a request as the browser sent them, for coming back after log-in."""
    path = scope.get("raw_path") or scope["path"].encode()
    query = scope.get("query_string", b"")
    text = path.decode("latin-1") + ("?" + query.decode("latin-1") if query else "")
    return safe_next(text)
