import msgspec

from api.change_wire import change_list
from tests.factories.stores import START_NS
from vocabulary.changes import ChangeEvent, ChangeKind

EVENT = ChangeEvent(
    event_id="1",
    at_ns=START_NS,
    kind=ChangeKind.CONFIGURATION,
    subject="alert rules",
    summary="Two rules were added.",
    actor="peakline",
    after_digest="ab",
    detail={"file": "rules.yaml", "rules": 5},
)


def test_a_change_has_its_time_as_text_and_its_kind_as_a_word() -> None:
    assert msgspec.json.decode(msgspec.json.encode(change_list([EVENT], 10))) == {
        "items": [
            {
                "event_id": "1",
                "at": "2025-10-09T08:53:00Z",
                "kind": "configuration",
                "subject": "alert rules",
                "summary": "Two rules were added.",
                "actor": "peakline",
                "before_digest": "",
                "after_digest": "ab",
                "detail": {"file": "rules.yaml", "rules": 5},
            }
        ],
        "is_partial": False,
        "next": None,
    }


def test_a_list_says_when_older_changes_were_left_out() -> None:
    assert not change_list([EVENT] * 2, 2).is_partial
    cut = change_list([EVENT] * 3, 2)
    assert (len(cut.items), cut.is_partial) == (2, True)
