from dashboard.palette import OUTCOME_COLOURS, PATTERNS, SERIES, tint
from vocabulary.outcomes import Outcome


def test_a_tint_keeps_the_colour() -> None:
    assert tint("#0072B2", 0.12) == "rgba(0,114,178,0.12)"


def test_series_are_told_apart_by_hatch_as_well_as_by_colour() -> None:
    assert len(set(SERIES)) == len(SERIES) == len(set(PATTERNS)) == len(PATTERNS)


def test_every_outcome_has_its_own_colour() -> None:
    assert set(OUTCOME_COLOURS) == {str(outcome) for outcome in Outcome}
    assert len(set(OUTCOME_COLOURS.values())) == len(OUTCOME_COLOURS)
