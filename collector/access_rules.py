"""What the routes of telemetry ask of their caller."""

from vocabulary.access import Permission, Rule

_POST = frozenset({"POST"})
_ALL = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "HEAD"})
_SEND = frozenset({Permission.SEND})

RULES: tuple[Rule, ...] = (
    Rule(_POST, "/v1/traces", _SEND),
    Rule(_ALL, "/v1"),
    Rule(_ALL, "/v1/{path:path}"),
)
"""The last two guard nothing that takes telemetry: somebody who may come in gets a 404 document there."""
