"""The one table of pages: what is not here is not found."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from dashboard.pages import alerts, health, missing, overview, request, requests, set_up, settings
from dashboard.panels.parts import Node
from dashboard.timeframe import DEFAULT_RANGE
from dashboard.view import View
from vocabulary.access import Permission, Principal

Body = Callable[[View], Awaitable[Node]]


def never(_view: View) -> int:
    """A page that does not refresh itself: rows must not move under the pointer."""
    return 0


@dataclass(frozen=True, slots=True)
class Page:
    """One page.

    name           names its texts `page.NAME`, its icon and its place in the menu
    path           template: /requests/{request_key}
    body           asks and draws
    bar            controls above it, None for none
    refresh_s      seconds between refreshes, 0 for never
    default_range  relative range when the address has none
    key            letter after g that leads here, '' for a page outside the menu
    within         name of the menu's page that this one belongs to, '' for itself
    needs          what the caller must have, None for any principal
    whole_fleet    about everybody's traffic: a caller limited to tenants is told so instead
    """

    name: str
    path: str
    body: Body
    bar: Body | None = None
    refresh_s: Callable[[View], int] = never
    default_range: str = DEFAULT_RANGE
    key: str = ""
    within: str = ""
    needs: Permission | None = Permission.READ
    whole_fleet: bool = False


PAGES: tuple[Page, ...] = (
    Page("overview", "/", overview.body, overview.bar, overview.refresh_s, key="o"),
    Page("requests", "/requests", requests.body, requests.bar, key="r"),
    Page("request", "/requests/{request_key}", request.body, within="requests"),
    Page("alerts", "/alerts", alerts.body, refresh_s=alerts.refresh_s, key="a", whole_fleet=True),
    Page("setup", "/setup", set_up.body, refresh_s=set_up.refresh_s, key="s"),
    Page("health", "/health", health.body, health.bar, health.refresh_s, "24h", "h"),
    Page("settings", "/settings", settings.body, key="e", needs=None),
)
MISSING = Page("missing", "", missing.body)


def menu_pages(principal: Principal) -> list[Page]:
    """Pages of the menu that the caller may open."""
    return [page for page in PAGES if page.key and (page.needs is None or principal.may(page.needs))]


def find(path: str) -> tuple[Page, Mapping[str, str]]:
    """The page at a path and the parts its template names; MISSING for a path that is no page."""
    asked = path.rstrip("/").split("/") if path != "/" else ["", ""]
    for page in PAGES:
        parts = _match(page.path.split("/"), asked)
        if parts is not None:
            return page, parts
    return MISSING, {}


def _match(template: list[str], asked: list[str]) -> Mapping[str, str] | None:
    if len(template) != len(asked):
        return None
    parts: dict[str, str] = {}
    for wanted, given in zip(template, asked, strict=True):
        if wanted.startswith("{") and given:
            parts[wanted.strip("{}")] = given
        elif wanted != given:
            return None
    return parts
