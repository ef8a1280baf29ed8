"""The frame around every page: menu, head, and the places that the router fills."""

from dash import dcc, html
from dash.backends._fastapi import get_current_request  # Dash has no public way
from dash_mantine_components import ColorSchemeToggle, MantineProvider

from dashboard.access_text import tenants_text
from dashboard.pages.table import Page, menu_pages
from dashboard.panels.parts import Node, aria, chip
from dashboard.view import LANGUAGE_COOKIE, View
from dashboard.widgets import AccountMenu, Icon, PageMeta, Refusals, Widget
from dashboard.wording import DEFAULT_LANGUAGE, HTML_LANGUAGES, LANGUAGES, choose, wording
from vocabulary.access import PrincipalKind

THEME = {
    "primaryColor": "blue",
    "primaryShade": {"light": 8, "dark": 7},
    "autoContrast": True,
    "fontFamily": "Inter, system-ui, -apple-system, 'Segoe UI', 'Noto Sans CJK SC', sans-serif",
    "fontSizes": {"sm": "13px"},
}

NAMES_SHOWN = 50
"""Tenants that a tooltip names; a page must not grow with them."""


def frame() -> MantineProvider:
    """The same for every page; the router fills `head`, `menu`, `bar`, `body` and the rest."""
    say = wording(_remembered_language())
    return MantineProvider(
        [
            dcc.Location(id="url", refresh="callback-nav"),
            dcc.Store(id="zoomed"),
            html.Div(id="meta"),
            Refusals(id="refusals", texts=_refusal_texts()),
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


def _remembered_language() -> str:
    """Of the request that asks for the frame, which does not name the page's address; English outside a request."""
    try:
        request = get_current_request()
    except RuntimeError:  # how Dash says that there is no request
        return DEFAULT_LANGUAGE
    return choose("", request.cookies.get(LANGUAGE_COOKIE, ""), request.headers.get("accept-language", ""))


def _refusal_texts() -> dict[str, dict[str, str]]:
    """In every language: a refusal may come before the server knows which one is read."""
    keys = ("title", "text", "dismiss")
    return {HTML_LANGUAGES[code]: {key: wording(code)(f"refusal.{key}") for key in keys} for code in LANGUAGES}


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
    pages = [_entry(view, page, is_here=page.name == here) for page in menu_pages(view.principal)]
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
    """Who looks, and zone and language as links: the address says what is shown."""
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
    return [_limits(view), _who(view), zone, *languages]


def _limits(view: View) -> Node:
    """The tenants that somebody is limited to, said on every page: what is shown is not everything."""
    if not view.principal.is_limited:
        return None
    names = sorted(view.principal.tenants or ())
    named = ", ".join(names[:NAMES_SHOWN]) + (" …" if len(names) > NAMES_SHOWN else "")
    text = view.say("limited.badge", tenants=tenants_text(view.principal.tenants, view.say))
    return chip(text, "amber", "warn", title=named)


def _who(view: View) -> Node:
    """A menu for who is logged in; with access off everybody is the same, and nobody can log out."""
    say, who = view.say, view.principal
    if who.kind is PrincipalKind.ANONYMOUS:
        return html.Span(who.name, className="principal", title=say("shell.principal"))
    texts = {key: say(f"account.{key}") for key in ("menu", "settings", "log_out")}
    return AccountMenu(
        id="account",
        name=who.name,
        role=say(f"role.{who.role}"),
        settings=view.address.to("/settings"),
        texts=texts,
    )


def meta(view: View, page: Page) -> Widget:
    """Title and language of the document."""
    title = view.say(f"page.{page.name}")
    return PageMeta(
        title=f"{title} · Peakline",
        lang=HTML_LANGUAGES[view.say.language],
        tz="UTC" if view.clock.is_utc else "local",
        path=view.address.path,
    )
