"""What the routes of log-in ask of their caller."""

from vocabulary.access import Rule

_GET, _POST = frozenset({"GET"}), frozenset({"POST"})

RULES: tuple[Rule, ...] = (
    Rule(_GET, "/login", is_public=True),
    Rule(_POST, "/login", is_public=True),
    Rule(_GET, "/login/{name}", is_public=True),
    Rule(_GET, "/login/oidc", is_public=True),
    Rule(_GET, "/login/oidc/callback", is_public=True),
    Rule(_POST, "/logout"),
)
