import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from store.control.builds import NO_BUILD, Build
from store.control.open import Control
from store.control.tables import rollup_builds


def test_a_new_store_has_no_build(any_control: Control) -> None:
    assert any_control.builds.last() == NO_BUILD


def test_the_last_build_is_the_one_with_the_highest_number(any_control: Control) -> None:
    first, second = Build(1, 10, 3, 100), Build(2, 12, 1, 200)
    any_control.builds.commit(first)
    any_control.builds.commit(second)
    assert any_control.builds.last() == second


def test_what_was_visible_at_a_time_is_told(any_control: Control) -> None:
    first, second = Build(1, 10, 3, 100), Build(2, 12, 1, 200)
    any_control.builds.commit(first)
    any_control.builds.commit(second)
    assert [any_control.builds.last_before(at_ns) for at_ns in (99, 100, 199, 200)] == [NO_BUILD, first, first, second]


def test_a_build_is_committed_once(any_control: Control) -> None:
    any_control.builds.commit(Build(1, 10, 3, 100))
    with pytest.raises(IntegrityError):
        any_control.builds.commit(Build(1, 11, 3, 100))
    assert any_control.builds.last().version == 10


def test_old_pointers_go(any_control: Control, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.control.builds.KEPT", 2)
    for number in range(1, 6):
        any_control.builds.commit(Build(number, number, 1, number))
    with any_control.engine.connect() as connection:
        assert connection.execute(select(func.count()).select_from(rollup_builds)).scalar() == 2
