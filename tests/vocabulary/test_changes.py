import pytest

from vocabulary.changes import ChangeEvent, ChangeKind


def test_the_kinds_are_those_of_the_design() -> None:
    assert [*ChangeKind] == ["deploy", "rollback", "configuration", "scale", "quota", "breaker"]


def test_a_change_needs_no_digests_and_no_detail() -> None:
    event = ChangeEvent("1", 5, ChangeKind.SCALE, "chat", "Two replicas more.", "operator")
    assert (event.before_digest, event.after_digest, event.detail) == ("", "", {})


def test_a_change_that_happened_stays_as_it_is() -> None:
    event = ChangeEvent("1", 5, ChangeKind.SCALE, "chat", "Two replicas more.", "operator")
    with pytest.raises(AttributeError):
        event.summary = "Nothing."  # type: ignore[misc]  # that it cannot be set is the point
