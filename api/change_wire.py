"""From change events to shapes."""

from collections.abc import Sequence

from api.shapes.changes import ChangeItem, ChangeList
from api.times import rfc3339
from api.wire import alike
from vocabulary.changes import ChangeEvent


def change_list(found: Sequence[ChangeEvent], limit: int) -> ChangeList:
    """The first `limit` of what was found; ask the reader for one more, so that it shows whether there are others."""
    return ChangeList([change_item(event) for event in found[:limit]], is_partial=len(found) > limit)


def change_item(event: ChangeEvent) -> ChangeItem:
    return alike(ChangeItem, event, at=rfc3339(event.at_ns))
