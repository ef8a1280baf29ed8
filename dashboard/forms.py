"""Forms that ask the API from the browser: their fields and texts, as `assets/forms.js` takes them.

The page never changes anything by itself: there is one path to authority, and it is the API.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dashboard.access_text import tenants_text
from dashboard.wording import Wording
from vocabulary.access import Role

Field = Mapping[str, Any]
"""One input: name, kind, label, value, options, help, autocomplete, required, same_as."""

_FORM_TEXTS = ("pending", "unreachable", "refused", "cancel", "unequal")
_DAYS = (30, 90, 365)
_DEFAULT_DAYS = 90


def form_texts(say: Wording) -> dict[str, str]:
    """What every form says by itself."""
    return {key: say(f"form.{key}") for key in _FORM_TEXTS}


def text_field(name: str, label: str, *, hint: str = "") -> Field:
    """A line of text that must be written."""
    return {"name": name, "kind": "text", "label": label, "help": hint, "required": True}


def password_field(name: str, label: str, *, is_new: bool, hint: str = "") -> Field:
    """A secret line; password managers are told which one it is."""
    remembered = "new-password" if is_new else "current-password"
    return {
        "name": name,
        "kind": "password",
        "label": label,
        "help": hint,
        "autocomplete": remembered,
        "required": True,
    }


def repeated_field(of: str, label: str) -> Field:
    """The same once more; it stays in the browser."""
    return {**password_field(f"{of}_again", label, is_new=True), "same_as": of}


def role_field(say: Wording, chosen: Role, roles: Iterable[Role] = Role) -> Field:
    """One of the roles, each with what it may do."""
    options = [{"value": str(role), "text": f"{say(f'role.{role}')} · {say(f'role_for.{role}')}"} for role in roles]
    return {"name": "role", "kind": "select", "label": say("access.role"), "value": str(chosen), "options": options}


def tenants_field(say: Wording, tenants: frozenset[str] | None) -> Field:
    """All tenants, or those of a list with one a line; an empty list reads nothing."""
    return {
        "name": "tenants",
        "kind": "tenants",
        "label": say("access.tenants"),
        "value": None if tenants is None else sorted(tenants),
        "texts": {"all": tenants_text(None, say), "help": say("tenants.help")},
    }


def expiry_field(say: Wording) -> Field:
    """In so many days, at the end of a day, or never."""
    days = [{"value": str(day), "text": say("expiry.days", days=day)} for day in _DAYS]
    others = [{"value": name, "text": say(f"expiry.{name}")} for name in ("date", "never")]
    return {
        "name": "expires",
        "kind": "expiry",
        "label": say("access.expires"),
        "value": str(_DEFAULT_DAYS),
        "options": [*days, *others],
        "texts": {"date": say("expiry.last_day")},
    }


def row_action(
    text: str,
    question: str,
    method: str,
    path: str,
    *,
    fields: Sequence[Field] = (),
    is_danger: bool = False,
    **fixed: Any,
) -> dict[str, Any]:
    """A button in a table's row that asks in a dialog before it asks the API.

    question  heading of the dialog; names what would change
    fixed     goes along in the body as it is
    """
    return {
        "text": text,
        "question": question,
        "method": method,
        "path": path,
        "fields": list(fields),
        "fixed": fixed,
        "is_danger": is_danger,
    }
