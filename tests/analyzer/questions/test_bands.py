import numpy as np

from analyzer.questions.bands import load_tier_bands, step_bands
from analyzer.questions.cells import cells_of
from tests.factories.minutes import minutes


def test_load_tiers_join_without_gaps() -> None:
    cells = cells_of(minutes(*({"minute": at, "requests": 10 * (at + 1)} for at in range(100))))
    banding = load_tier_bands(cells)
    assert [band.load_tier for band in banding.bands] == ["off_peak", "normal", "busy", "peak"]
    assert banding.bands[0].from_rps is None
    assert banding.bands[3].to_rps is None
    assert [band.to_rps for band in banding.bands[:3]] == [band.from_rps for band in banding.bands[1:]]
    assert [band.to_rps for band in banding.bands[:3]] == list(banding.edges_rps)


def test_edges_for_the_store_stay_between_two_possible_loads() -> None:
    cells = cells_of(minutes({"minute": 0, "requests": 100_000, "replicas_ready": 7}))
    banding = load_tier_bands(cells)
    next_load = 100_001 / 60 / 7
    assert all(
        edge < nudged < next_load for edge, nudged in zip(banding.edges_rps, banding.store_edges_rps, strict=True)
    )


def test_no_cells_have_no_bands() -> None:
    cells = cells_of(minutes())
    assert load_tier_bands(cells).bands == ()
    assert list(step_bands(cells).bands) == []


def test_steps_are_ordered_by_offered_rate_with_unknown_ones_last() -> None:
    cells = cells_of(
        minutes(
            {"minute": 0, "requests": 1, "load_test_step": 0, "offered_rps": 50.0},
            {"minute": 1, "requests": 1, "load_test_step": 1, "offered_rps": None},
            {"minute": 2, "requests": 1, "load_test_step": 2, "offered_rps": 5.0},
            {"minute": 3, "requests": 1, "load_test_step": 0, "offered_rps": 50.0},
            {"minute": 4, "requests": 1, "load_test_step": None, "offered_rps": None},
        )
    )
    banding = step_bands(cells)
    assert [band.step for band in banding.bands] == [2, 0, None, 1]
    assert [band.to_rps for band in banding.bands] == [5.0, 50.0, None, None]
    assert banding.of_cell.tolist() == [1, 3, 0, 1, 2]
    assert np.unique(banding.of_cell).size == 4
