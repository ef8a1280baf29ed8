import pytest
from hypothesis import given
from hypothesis import strategies as st

from alerts.rules import Line, LineKind
from alerts.state import AlertState, Change, Standing, step
from vocabulary.pools import SECOND_NS

LINE = Line(LineKind.FIXED, 4.0, 3.4)
ALLOWED = {
    (AlertState.INACTIVE, AlertState.PENDING),
    (AlertState.INACTIVE, AlertState.FIRING),
    (AlertState.PENDING, AlertState.INACTIVE),
    (AlertState.PENDING, AlertState.PENDING),
    (AlertState.PENDING, AlertState.FIRING),
    (AlertState.FIRING, AlertState.RESOLVED),
    (AlertState.RESOLVED, AlertState.PENDING),
    (AlertState.RESOLVED, AlertState.FIRING),
    (AlertState.RESOLVED, AlertState.INACTIVE),
}


def played(loads: list[float | None], for_s: int) -> list[Change]:
    standing, changes = Standing(), []
    for second, load in enumerate(loads, 1):
        standing, change = step(standing, LINE, for_s * SECOND_NS, load, second * 10 * SECOND_NS)
        changes += [] if change is None else [change]
    return changes


def test_without_for_an_alert_fires_at_once() -> None:
    standing, change = step(Standing(), LINE, 0, 4.0, 10)
    assert standing == Standing(AlertState.FIRING, 10, 10, 10, 4.0)
    assert change is not None
    assert change.reason == "4 is at or above the line 4"


def test_a_transition_gives_its_reason() -> None:
    reasons = [change.reason for change in played([5, 5, 5, 3], 20)]
    assert reasons == [
        "5 is at or above the line 4",
        "5: at or above the line 4 for 20 s",
        "3 is at or below the recovery line 3.4",
    ]


@pytest.mark.parametrize("state", AlertState)
def test_no_data_changes_nothing_but_the_value(state: AlertState) -> None:
    before = Standing(state, 5, 5, 7, 9.0)
    after, change = step(before, LINE, 0, None, 10**15)
    assert change is None
    assert after == Standing(state, 5, 5, 7, None)


@given(st.lists(st.one_of(st.none(), st.floats(0, 8)), max_size=60), st.integers(0, 60))
def test_only_the_drawn_arrows_are_taken_and_each_starts_where_the_last_ended(
    loads: list[float | None], for_s: int
) -> None:
    changes = played(loads, for_s)
    assert {(change.from_state, change.to_state) for change in changes} <= ALLOWED
    states = [AlertState.INACTIVE, *(change.to_state for change in changes)]
    assert [change.from_state for change in changes] == states[:-1]


@given(st.lists(st.floats(3.41, 3.99), max_size=60), st.sampled_from(AlertState))
def test_between_the_lines_nothing_starts_and_nothing_is_resolved(loads: list[float], state: AlertState) -> None:
    standing = Standing(state, 0, 0, 0, 3.5)
    for second, load in enumerate(loads, 1):
        standing, _ = step(standing, LINE, 0, load, second * SECOND_NS)
        assert (standing.state is AlertState.FIRING) == (state is AlertState.FIRING)
