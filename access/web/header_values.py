"""Headers of a request, with bounded work whatever was sent."""

from starlette.types import Scope

BYTES_MAX = 64 * 1024
COUNT_MAX = 200


def values(scope: Scope, name: bytes) -> list[str]:
    """All values of a header in the order they came; `name` in lower case."""
    return [value.decode("latin-1") for found, value in scope["headers"] if found.lower() == name]


def listed(scope: Scope, name: bytes) -> list[str]:
    """The parts of a header that is a list with commas, over all its lines, without empty ones."""
    parts = ",".join(values(scope, name)).split(",")
    return [part.strip() for part in parts if part.strip()]


def single(scope: Scope, name: bytes) -> str:
    """The one value of a header; '' where it is missing or was sent more than once."""
    found = values(scope, name)
    return found[0] if len(found) == 1 else ""


def are_bounded(scope: Scope) -> bool:
    """Whether there are few and short enough headers to look at them."""
    headers = scope["headers"]
    return len(headers) <= COUNT_MAX and sum(len(name) + len(value) for name, value in headers) <= BYTES_MAX


def wants_page(scope: Scope) -> bool:
    """Whether a person's browser asks for a page, and not a script for data."""
    return any("text/html" in value.lower() for value in values(scope, b"accept"))
