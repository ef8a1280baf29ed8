import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from store.control.builds import NO_BUILD, Build
from store.control.open import Control
from store.control.tables import rollup_builds


def test_a_new_store_has_no_build(control: Control) -> None:
    assert control.builds.last() == NO_BUILD


def test_the_last_build_is_the_one_with_the_highest_number(control: Control) -> None:
    first, second = Build(1, 10, 3, 100), Build(2, 12, 1, 200)
    control.builds.commit(first)
    control.builds.commit(second)
    assert control.builds.last() == second


def test_a_build_is_committed_once(control: Control) -> None:
    control.builds.commit(Build(1, 10, 3, 100))
    with pytest.raises(IntegrityError):
        control.builds.commit(Build(1, 11, 3, 100))
    assert control.builds.last().version == 10


def test_old_pointers_go(control: Control, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.control.builds.KEPT", 2)
    for number in range(1, 6):
        control.builds.commit(Build(number, number, 1, number))
    with control.engine.connect() as connection:
        assert connection.execute(select(func.count()).select_from(rollup_builds)).scalar() == 2
