from analyzer.methods.multiplier import IntervalMethod
from analyzer.questions.bands import load_tier_bands, step_bands
from analyzer.questions.cells import Cells, cells_of
from analyzer.questions.tier_groups import groups_of, multipliers_of
from tests.factories.minutes import minutes


def fortnight() -> Cells:
    """Fourteen days of ten quiet minutes and one loud one, which has six times the traffic."""
    return cells_of(
        minutes(
            *(
                {"minute": 1440 * day + at, "requests": 100 + 500 * (at > 9), "defective": 1 + 17 * (at > 9) + day % 2}
                for day in range(14)
                for at in range(11)
            )
        )
    )


def test_every_request_is_in_one_group() -> None:
    cells = fortnight()
    groups = groups_of(cells, load_tier_bands(cells), by_day=True)
    assert sum(group.rate.requests for group in groups) == cells.requests.sum()


def test_days_carry_the_interval_of_production() -> None:
    cells = fortnight()
    groups = groups_of(cells, load_tier_bands(cells), by_day=True)
    lowest, *others = multipliers_of(cells, groups, by_day=True)
    assert lowest is None
    assert {found.method for found in others if found} == {IntervalMethod.DAY_JACKKNIFE}


def test_a_tier_without_outcomes_is_no_reference() -> None:
    cells = cells_of(
        minutes(
            {"minute": 0, "requests": 50, "outcome_unknown": 50, "load_test_step": 0, "offered_rps": 1.0},
            {"minute": 1, "requests": 50, "defective": 5, "load_test_step": 1, "offered_rps": 2.0},
            {"minute": 2, "requests": 50, "defective": 10, "load_test_step": 2, "offered_rps": 4.0},
        )
    )
    groups = groups_of(cells, step_bands(cells), by_day=False)
    found = multipliers_of(cells, groups, by_day=False)
    assert found[:2] == [None, None]
    assert found[2] is not None
    assert found[2].estimate == (10.5 / 51) / (5.5 / 51)


def test_each_service_tier_has_its_own_reference() -> None:
    cells = cells_of(
        minutes(
            *(
                {"minute": at, "service_tier": tier, "requests": 100 * (at + 1), "defective": at + extra}
                for at in range(4)
                for tier, extra in (("batch", 5), ("core", 0))
            )
        )
    )
    groups = groups_of(cells, load_tier_bands(cells), by_day=True)
    found = multipliers_of(cells, groups, by_day=True)
    firsts = [
        tier for tier, multiplier in zip((g.service_tier for g in groups), found, strict=True) if multiplier is None
    ]
    assert firsts == ["batch", "core"]
