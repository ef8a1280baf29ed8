"""What each route of the dashboard asks of its caller. A route that is not here is refused to everybody."""

from dashboard.pages.table import PAGES
from vocabulary.access import Permission, Rule

CATCH_ALL = "/{path:path}"
"""Every address that nothing else takes: the page that says so."""

_GET = frozenset({"GET"})

RULES: tuple[Rule, ...] = (
    *(Rule(_GET, page.path, frozenset({page.needs} if page.needs else ())) for page in PAGES),
    Rule(_GET, CATCH_ALL, frozenset({Permission.READ})),
    Rule(_GET, "/_dash-layout"),
    Rule(_GET, "/_dash-dependencies"),
    Rule(frozenset({"POST"}), "/_dash-update-component"),
    Rule(_GET, "/assets/{path:path}", is_public=True),
    Rule(_GET, "/_dash-component-suites/{package_name}/{fingerprinted_path:path}", is_public=True),
)
"""Callbacks check their own permission, and the page they draw that of the page: `/_dash-update-component` is for all.

A page about the whole fleet is open to a caller limited to tenants, and says why it stays empty: no rule refuses it.
"""

PUBLIC = frozenset(rule.path.removesuffix("/{path:path}") for rule in RULES if rule.is_public)
"""The public ones as their routes are registered: a folder of files is mounted without its template."""
