"""Where to look at requests that are there: the page, and the command that reports on them."""

from dataclasses import dataclass
from shlex import join
from urllib.parse import urlencode

from api.times import rfc3339
from peakline_server.program import program
from vocabulary.pools import MINUTE_NS, SECOND_NS, Window

DEFAULT_SERVER = "http://127.0.0.1:8600"
_WINDOW_MAX_NS = 400 * 86_400 * SECOND_NS
"""The store answers questions about at most 400 days."""


@dataclass(frozen=True, slots=True)
class Look:
    """Requests that a page can show. Halves of a pool that are '' are left out.

    window  whole minutes that hold them; None for the load test's own
    """

    server: str
    service: str
    model: str
    window: Window | None = None
    load_test: str = ""

    def link(self) -> str:
        """The dashboard's address."""
        asked = {"load_test": self.load_test, "service": self.service, "model": self.model, **self._times()}
        return f"{self.server.rstrip('/')}/?{urlencode({name: text for name, text in asked.items() if text}, safe=':')}"

    def command(self) -> str:
        """The report in the terminal."""
        asked = {"load-test": self.load_test, "service": self.service, "model": self.model, **self._times()}
        if self.server.rstrip("/") != DEFAULT_SERVER:
            asked["server"] = self.server
        words = [word for name, text in asked.items() if text for word in (f"--{name}", text)]
        return join([program(), "report", "tiers", *words])

    def _times(self) -> dict[str, str]:
        if self.window is None:
            return {}
        return {"from": rfc3339(self.window.start_ns), "to": rfc3339(self.window.end_ns)}


def whole_minutes(first_ns: int, last_ns: int) -> Window:
    """The minutes from the first to the last request, or the last 400 days of them: no longer window is answered."""
    end_ns = last_ns // MINUTE_NS * MINUTE_NS + MINUTE_NS
    return Window(max(first_ns // MINUTE_NS * MINUTE_NS, end_ns - _WINDOW_MAX_NS), end_ns)
