"""One look at a page: who looks, in which words and zone, at which stretch of time."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from dashboard.address import Address
from dashboard.clock_text import ClockText
from dashboard.house import DashboardHouse
from dashboard.timeframe import Timeframe, resolve
from dashboard.wording import Wording, choose, wording
from vocabulary.access import Principal
from vocabulary.pools import SECOND_NS, Pool

Answer = TypeVar("Answer")
LANGUAGE_COOKIE = "peakline_lang"
ZONE_COOKIE = "peakline_zone"
TIME_COOKIE = "peakline_tz"


@dataclass(frozen=True, slots=True)
class Visit:
    """What a request tells beside the address.

    accept_language  header of that name
    session_left_s   seconds until the caller's session ends at the latest, None without one
    """

    cookies: Mapping[str, str] = field(default_factory=dict)
    accept_language: str = ""
    session_left_s: int | None = None


@dataclass(frozen=True, slots=True)
class View:
    """What a page is given; `parts` are the pieces of the path that its template names."""

    house: DashboardHouse
    address: Address
    say: Wording
    clock: ClockText
    timeframe: Timeframe
    now_ns: int
    parts: Mapping[str, str]
    session_ends_ns: int | None = None
    _asked: dict[str, "asyncio.Future[Any]"] = field(default_factory=dict, compare=False, repr=False)

    async def once(self, name: str, question: Callable[[], Answer]) -> Answer:
        """The answer to a blocking question, asked in a thread, and asked once however many parts of a page want it."""
        if name not in self._asked:
            self._asked[name] = asyncio.ensure_future(asyncio.to_thread(question))
        answer: Answer = await self._asked[name]
        return answer

    @property
    def principal(self) -> Principal:
        """Who looks."""
        return self.house.principal

    @property
    def asked_pool(self) -> Pool | None:
        """The pool that the address names, None when it names none."""
        service, model = self.address.get("service"), self.address.get("model")
        return Pool(service, model) if service or model else None


def look(
    house: DashboardHouse,
    address: Address,
    visit: Visit,
    parts: Mapping[str, str],
    default_range: str,
) -> View:
    """Build the view of an address; the address wins over what the browser remembers."""
    now_ns, cookies = house.clock_ns(), visit.cookies
    shown = address.get("tz") or cookies.get(TIME_COOKIE, "")
    zone = cookies.get(ZONE_COOKIE, "").replace("%2F", "/") if shown == "local" else "UTC"
    return View(
        house=house,
        address=address,
        say=wording(choose(address.get("lang"), cookies.get(LANGUAGE_COOKIE, ""), visit.accept_language)),
        clock=ClockText.named(zone),
        timeframe=resolve(address, now_ns, default_range),
        now_ns=now_ns,
        parts=parts,
        session_ends_ns=None if visit.session_left_s is None else now_ns + visit.session_left_s * SECOND_NS,
    )
