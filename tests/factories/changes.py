"""Change events for tests: every fact has a plain value, tests name what matters."""

from typing import Any

from tests.factories.stores import START_NS, new_id
from vocabulary.changes import ChangeEvent, ChangeKind
from vocabulary.pools import SECOND_NS


def change(at_s: float = 0.0, **named: Any) -> ChangeEvent:
    """A change of the alert rules, `at_s` seconds after START_NS."""
    plain: dict[str, Any] = {
        "event_id": new_id(16).hex(),
        "at_ns": START_NS + round(at_s * SECOND_NS),
        "kind": ChangeKind.CONFIGURATION,
        "subject": "alert rules",
        "summary": "The alert rules were read again.",
        "actor": "peakline",
    }
    return ChangeEvent(**{**plain, **named})
