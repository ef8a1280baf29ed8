"""Luck divided into fates."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtest.fleet.fate import FateTable, Kind
from loadtest.fleet.plan import Behaviour
from tests.factories.engines import FAULTLESS, asking

PLANNED = Behaviour(error_probability=0.02, empty_probability=0.01, runaway_probability=0.005, hang_probability=0.005)


def shares(table: FateTable, draws: int = 100_000) -> tuple[Counter[Kind | None], Counter[Kind | None]]:
    fates = [table.fate((draw + 0.5) / draws) for draw in range(draws)]
    return Counter(fate.kind for fate in fates), Counter(fate.kind for fate in fates if fate.is_base)


def test_kinds_divide_the_luck_one_after_the_other() -> None:
    table = FateTable(PLANNED, PLANNED)
    fates = [table.fate(luck).kind for luck in (0.0, 0.0199, 0.02, 0.0299, 0.03, 0.0349, 0.035, 0.0399, 0.04, 0.9)]
    pairs = [kind for kind in (*Kind, None) for _ in (1, 2)]
    assert fates == pairs


def test_a_planned_fate_is_a_base_defect_whatever_a_fault_adds() -> None:
    bad = Behaviour(error_probability=0.3, empty_probability=0.1, runaway_probability=0.005, hang_probability=0.2)
    all_of_them, base = shares(FateTable(bad, PLANNED))
    assert base == {Kind.ERROR: 2000, Kind.EMPTY: 1000, Kind.RUNAWAY: 500, Kind.HANG: 500}
    assert all_of_them == {Kind.ERROR: 30000, Kind.EMPTY: 10000, Kind.RUNAWAY: 500, Kind.HANG: 20000, None: 39500}


def test_a_kind_that_a_version_no_longer_has_leaves_its_luck_to_others() -> None:
    better = Behaviour(error_probability=0.0, empty_probability=0.03, runaway_probability=0.0, hang_probability=0.0)
    all_of_them, base = shares(FateTable(better, PLANNED))
    assert (all_of_them[Kind.EMPTY], base) == (3000, {Kind.EMPTY: 1000})


def test_certain_errors_leave_nothing_to_other_kinds() -> None:
    certain = Behaviour(error_probability=1.0, empty_probability=0.5)
    assert shares(FateTable(certain, PLANNED))[0] == {Kind.ERROR: 100_000}


PROBABILITIES = st.floats(0.0, 1.0)
BEHAVIOURS = st.builds(
    Behaviour,
    error_probability=PROBABILITIES,
    empty_probability=PROBABILITIES,
    runaway_probability=PROBABILITIES,
    hang_probability=PROBABILITIES,
)


@given(BEHAVIOURS, BEHAVIOURS)
def test_each_kind_has_its_probability_whatever_was_planned(behaviour: Behaviour, planned: Behaviour) -> None:
    drawn = shares(FateTable(behaviour, planned), draws=1000)[0]
    left = 1.0
    for kind in Kind:
        wanted = min(getattr(behaviour, f"{kind.value}_probability"), left)
        left -= wanted
        assert drawn[kind] / 1000 == pytest.approx(wanted, abs=0.006)


def drawn(behaviour: Behaviour, luck: float, output: int = 10, limit: int = 50) -> tuple[float, bool, bool, bool]:
    request = asking(1, output=output, luck=luck, limit=limit)
    FateTable(behaviour, FAULTLESS).draw(request)
    return request.target_tokens, request.is_cut, request.fails, request.hangs


def test_a_plain_answer_ends_at_its_length_or_is_cut_at_its_limit() -> None:
    assert drawn(FAULTLESS, 0.5) == (10.0, False, False, False)
    assert drawn(FAULTLESS, 0.5, output=50) == (50.0, False, False, False)
    assert drawn(FAULTLESS, 0.5, output=51) == (50.0, True, False, False)


def test_an_error_comes_after_a_part_of_the_tokens() -> None:
    assert drawn(Behaviour(error_probability=0.2), 0.1) == (5.0, False, True, False)


def test_an_empty_answer_has_no_token_and_is_not_cut() -> None:
    assert drawn(Behaviour(error_probability=0.0, empty_probability=0.2), 0.1, output=60) == (0.0, False, False, False)


def test_a_runaway_goes_on_to_its_limit() -> None:
    runaway = Behaviour(error_probability=0.0, empty_probability=0.0, runaway_probability=0.2)
    assert drawn(runaway, 0.1) == (50.0, True, False, False)


def test_a_hung_request_would_have_had_its_length() -> None:
    hanging = Behaviour(error_probability=0.0, empty_probability=0.0, runaway_probability=0.0, hang_probability=0.2)
    assert drawn(hanging, 0.1) == (10.0, False, False, True)


def test_other_weights_lengthen_answers_up_to_their_limit() -> None:
    longer = Behaviour(error_probability=0.0, output_factor=2.5)
    assert drawn(longer, 0.5) == (25.0, False, False, False)
    assert drawn(longer, 0.5, output=30) == (50.0, True, False, False)
    assert drawn(Behaviour(output_factor=0.01), 0.5) == (1.0, False, False, False)
