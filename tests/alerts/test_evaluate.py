from dataclasses import replace

import pytest

from alerts.book import series_of
from alerts.evaluate import FailedReadingsError
from alerts.state import AlertState
from tests.alerts.conftest import CHAT, OTHER, Fleet, a_rule
from vocabulary.pools import SECOND_NS


def test_every_pool_with_traffic_is_watched_by_itself(fleet: Fleet) -> None:
    fleet.loads = {CHAT: 5.0, OTHER: 1.0}
    (transition,) = fleet.evaluator(a_rule()).evaluate()
    assert transition.series == '["chat", "meta/llama:70b"]'
    assert transition.to_state == AlertState.FIRING
    assert [state.state for state in fleet.book.states()] == [AlertState.FIRING, AlertState.INACTIVE]


def test_a_named_pool_is_watched_before_it_has_traffic(fleet: Fleet) -> None:
    assert fleet.evaluator(a_rule(pool=CHAT)).evaluate() == []
    (alert,) = fleet.book.states()
    assert (alert.state, alert.value, alert.updated_ns) == (AlertState.INACTIVE, None, 0)


def test_a_pool_without_a_production_request_does_not_enter_the_book(fleet: Fleet) -> None:
    fleet.loads = {OTHER: None}
    assert fleet.evaluator(a_rule()).evaluate() == []
    assert fleet.book.states() == []


def test_a_pool_that_falls_silent_keeps_its_alert(fleet: Fleet) -> None:
    fleet.loads = {CHAT: 5.0}
    evaluator = fleet.evaluator(a_rule())
    evaluator.evaluate()
    fleet.loads = {}
    fleet.now_ns += 10 * SECOND_NS
    assert evaluator.evaluate() == []
    (alert,) = fleet.book.states()
    assert (alert.state, alert.value) == (AlertState.FIRING, None)
    assert alert.updated_ns == fleet.now_ns - 10 * SECOND_NS


def test_a_transition_names_the_lines_and_the_rule_that_made_it(fleet: Fleet) -> None:
    fleet.loads = {CHAT: 5.0}
    rule = a_rule()
    (transition,) = fleet.evaluator(rule).evaluate()
    assert (transition.line, transition.recovery_line, transition.rule_digest) == (4.0, 3.4, rule.digest)
    assert (transition.at_ns, transition.value) == (fleet.now_ns, 5.0)


def test_a_new_evaluator_goes_on_where_the_book_ends(fleet: Fleet) -> None:
    fleet.loads = {CHAT: 5.0}
    rule = a_rule(for_ns=30 * SECOND_NS)
    fleet.evaluator(rule).evaluate()
    fleet.now_ns += 30 * SECOND_NS
    (transition,) = fleet.evaluator(rule).evaluate()
    assert (transition.from_state, transition.to_state) == (AlertState.PENDING, AlertState.FIRING)


def test_an_alert_of_a_withdrawn_rule_ends_once_and_says_why(fleet: Fleet) -> None:
    fleet.loads = {CHAT: 5.0}
    fleet.evaluator(a_rule()).evaluate()
    evaluator = fleet.evaluator(a_rule(id="another", pool=OTHER))
    (transition,) = evaluator.evaluate()
    assert (transition.rule_id, transition.to_state) == ("near", AlertState.INACTIVE)
    assert "withdrawn" in transition.reason
    assert evaluator.evaluate() == []


def test_an_alert_of_a_pool_that_the_rule_left_ends(fleet: Fleet) -> None:
    fleet.loads = {CHAT: 5.0}
    fleet.evaluator(a_rule()).evaluate()
    (transition,) = fleet.evaluator(a_rule(pool=OTHER)).evaluate()
    assert transition.to_state == AlertState.INACTIVE


def test_rules_that_ask_the_same_are_answered_by_one_read(fleet: Fleet) -> None:
    fleet.loads = {CHAT: 5.0}
    fleet.evaluator(a_rule(), a_rule(id="twin")).evaluate()
    assert (fleet.reads, fleet.looks) == (1, 1)


def test_a_pool_that_cannot_be_read_is_told_and_does_not_stop_the_others(fleet: Fleet) -> None:
    fleet.loads, fleet.refused = {CHAT: 5.0, OTHER: 5.0}, {CHAT}
    evaluator = fleet.evaluator(a_rule(), a_rule(id="twin"))
    with pytest.raises(FailedReadingsError, match=r"1 pools cannot be read, .*llama.*: the read was stopped"):
        evaluator.evaluate()
    states = {(alert.rule_id, alert.series): alert.state for alert in fleet.book.states()}
    assert states == {(rule_id, series_of(OTHER)): AlertState.FIRING for rule_id in ("near", "twin")}
    fleet.refused = set()
    assert [transition.series for transition in evaluator.evaluate()] == [series_of(CHAT)] * 2


def test_a_changed_line_judges_the_next_reading(fleet: Fleet) -> None:
    fleet.loads = {CHAT: 5.0}
    rule = a_rule()
    fleet.evaluator(rule).evaluate()
    fleet.now_ns += SECOND_NS
    higher = replace(rule, line=replace(rule.line, at=9.0, recovery=8.0))
    (transition,) = fleet.evaluator(higher).evaluate()
    assert (transition.to_state, transition.line) == (AlertState.RESOLVED, 9.0)


def test_rules_adopted_while_it_runs_hold_from_the_next_round_on(fleet: Fleet) -> None:
    fleet.loads = {CHAT: 5.0}
    evaluator = fleet.evaluator(a_rule())
    evaluator.evaluate()
    evaluator.adopt([a_rule(id="other")])
    ended, begun = evaluator.evaluate()
    assert (ended.rule_id, ended.from_state) == ("near", AlertState.FIRING)
    assert (begun.rule_id, begun.to_state) == ("other", AlertState.FIRING)
