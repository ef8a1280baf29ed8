"""The address bar as state: what a link says is what a page shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, urlencode

CARRIED = ("range", "from", "to", "service", "model", "tz", "lang")
"""Parameters that go along from page to page."""

MULTIPLE = ("cursor",)
"""Parameters that may occur several times."""


@dataclass(frozen=True, slots=True)
class Address:
    """A path and its query, in the order it came; parameters without a value do not exist."""

    path: str
    query: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, path: str | None, search: str | None) -> "Address":
        """From the two parts a browser tells; a repeated single parameter keeps its last value."""
        pairs = parse_qsl((search or "").lstrip("?"), keep_blank_values=False)
        last = dict(pairs)
        kept = [(k, v) for k, v in pairs if k in MULTIPLE]
        kept += [(k, v) for k, v in last.items() if k not in MULTIPLE]
        return cls(path or "/", tuple(kept))

    def get(self, name: str) -> str:
        """The parameter's value, '' when absent."""
        return next((v for k, v in reversed(self.query) if k == name), "")

    def every(self, name: str) -> tuple[str, ...]:
        """All values of a repeatable parameter, in order."""
        return tuple(v for k, v in self.query if k == name)

    def href(self, changes: Mapping[str, str | tuple[str, ...] | None]) -> str:
        """A link to the same page with parameters set, or removed where None or empty."""
        kept = [(k, v) for k, v in self.query if k not in changes]
        return _write(self.path, kept + _pairs(changes))

    def to(self, path: str, changes: Mapping[str, str | None] | None = None) -> str:
        """A link to another page that takes the carried parameters along."""
        wanted = changes or {}
        kept = [(k, v) for k, v in self.query if k in CARRIED and k not in wanted]
        return _write(path, kept + _pairs(wanted))


def _pairs(changes: Mapping[str, str | tuple[str, ...] | None]) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for name, value in changes.items():
        values = value if isinstance(value, tuple) else (value,)
        pairs += [(name, one) for one in values if one]
    return pairs


def _write(path: str, pairs: list[tuple[str, str]]) -> str:
    query = urlencode(pairs, quote_via=quote, safe=":/,")
    return f"{path}?{query}" if query else path
