"""The frame around every page: menu, head, and the places that the router fills."""

from dash import dcc, html
from dash_mantine_components import ColorSchemeToggle, MantineProvider

from dashboard.pages.table import PAGES, Page
from dashboard.panels.parts import Node, aria
from dashboard.view import View
from dashboard.widgets import Icon, PageMeta, Widget
from dashboard.wording import HTML_LANGUAGES, LANGUAGES, wording

THEME = {
    "primaryColor": "blue",
    "primaryShade": {"light": 8, "dark": 7},
    "autoContrast": True,
    "fontFamily": "Inter, system-ui, -apple-system, 'Segoe UI', 'Noto Sans CJK SC', sans-serif",
    "fontSizes": {"sm": "13px"},
}


def frame() -> MantineProvider:
    """The same for every page and reader; the router fills `head`, `menu`, `bar`, `body` and the rest."""
    say = wording("en")
    return MantineProvider(
        [
            dcc.Location(id="url", refresh="callback-nav"),
            dcc.Store(id="zoomed"),
            html.Div(id="meta"),
            html.A(say("shell.skip"), href="#main", className="skip", id="skip"),
            html.Div(
                [
                    html.Header(_fixed_head(), className="top"),
                    html.Nav(id="menu", className="menu", **aria("Peakline")),
                    html.Main([html.Div(id="head"), html.Div(id="bar"), html.Div(id="body")], id="main", tabIndex=-1),
                ],
                className="shell",
            ),
        ],
        theme=THEME,
        defaultColorScheme="auto",
    )


def _fixed_head() -> list[Node]:
    brand = dcc.Link(
        [html.Span(className="logo"), html.Span("Peakline", className="brand-name")], href="/", className="brand"
    )
    scheme = ColorSchemeToggle(
        id="scheme", lightIcon=Icon(name="sun"), darkIcon=Icon(name="moon"), variant="subtle", color="gray", size="md",
        **aria("dark / light"),
    )  # fmt: skip
    return [brand, html.Div(id="choices", className="choices"), scheme]


def menu(view: View, current: Page) -> list[Node]:
    """Links to the pages of the table, which take the window and the pool along, and to the documents of the API."""
    here = current.within or current.name
    pages = [_entry(view, page, is_here=page.name == here) for page in PAGES if page.key]
    documents = html.A(view.say("shell.api_docs"), href="/api/docs", className="menu-entry", target="_blank")
    return [*pages, documents]


def _entry(view: View, page: Page, *, is_here: bool) -> dcc.Link:
    text = view.say(f"page.{page.name}")
    return dcc.Link(
        [Icon(name=page.name), html.Span(text), html.Kbd(f"g {page.key}")],
        href=view.address.to(page.path),
        className="menu-entry is-here" if is_here else "menu-entry",
        title=f"{text} (g {page.key})",
    )


def choices(view: View) -> list[Node]:
    """Zone and language as links: the address says what is shown."""
    say = view.say
    other_tz = "local" if view.clock.is_utc else "UTC"
    zone = dcc.Link(
        view.clock.name,
        href=view.address.href({"tz": other_tz}),
        className="choice",
        title=say("shell.zone", zone=other_tz),
    )
    languages = [
        dcc.Link(
            name,
            href=view.address.href({"lang": code}),
            className="choice is-chosen" if code == say.language else "choice",
            title=name,
        )
        for code, name in LANGUAGES.items()
    ]
    return [html.Span(view.house.principal(), className="principal", title=say("shell.principal")), zone, *languages]


def meta(view: View, page: Page) -> Widget:
    """Title and language of the document."""
    title = view.say(f"page.{page.name}")
    return PageMeta(
        title=f"{title} · Peakline",
        lang=HTML_LANGUAGES[view.say.language],
        tz="UTC" if view.clock.is_utc else "local",
        path=view.address.path,
    )
