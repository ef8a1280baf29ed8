from alerts.rules import Line, LineKind
from alerts.views import AlertsView, LineView
from tests.alerts.conftest import CHAT, OTHER, Fleet, a_rule


def test_firing_alerts_come_first_with_everything_a_screen_needs(fleet: Fleet) -> None:
    fleet.loads = {OTHER: 1.0, CHAT: 5.0}
    rule = a_rule()
    fleet.evaluator(rule).evaluate()
    firing, inactive = AlertsView([rule], fleet.book).states()
    assert (firing.service, firing.model, firing.state) == ("chat", "meta/llama:70b", "firing")
    assert (firing.line, firing.recovery_line, firing.line_kind, firing.severity) == (4.0, 3.4, "fixed", "warning")
    assert (firing.value, firing.no_data, firing.since_ns) == (5.0, False, fleet.now_ns)
    assert inactive.state == "inactive"


def test_an_alert_without_a_reading_is_flagged(fleet: Fleet) -> None:
    rule = a_rule(pool=CHAT)
    fleet.evaluator(rule).evaluate()
    (alert,) = AlertsView([rule], fleet.book).states()
    assert alert.no_data


def test_withdrawn_rules_leave_their_transitions_but_no_alert(fleet: Fleet) -> None:
    fleet.loads = {CHAT: 5.0}
    fleet.evaluator(a_rule()).evaluate()
    view = AlertsView([], fleet.book)
    assert view.states() == []
    (transition,) = view.transitions(10)
    assert (transition.to_state, transition.line_kind) == ("firing", "fixed")


def test_transitions_come_newest_first(fleet: Fleet) -> None:
    fleet.loads = {CHAT: 5.0}
    rule = a_rule()
    evaluator = fleet.evaluator(rule)
    evaluator.evaluate()
    fleet.loads = {CHAT: 1.0}
    fleet.now_ns += 1
    evaluator.evaluate()
    view = AlertsView([rule], fleet.book)
    assert [transition.to_state for transition in view.transitions(10)] == ["resolved", "firing"]
    assert [transition.line_kind for transition in view.transitions(1)] == ["fixed"]


def test_the_lines_of_a_pool_are_labelled_fixed_and_come_lowest_first() -> None:
    high = a_rule(id="high", line=Line(LineKind.FIXED, 8.0, 7.0))
    low, foreign = a_rule(id="low"), a_rule(id="foreign", pool=OTHER)
    lines = AlertsView([high, foreign, low], Fleet().book).rule_lines(CHAT)
    assert [line.rule_id for line in lines] == ["low", "high"]
    assert lines[0] == LineView("low", "near the line", "load", 4.0, 3.4, "fixed", "warning")


def test_rules_adopted_later_are_the_ones_that_show(fleet: Fleet) -> None:
    view = AlertsView([a_rule()], fleet.book)
    view.adopt([a_rule(id="other")])
    assert [line.rule_id for line in view.rule_lines(CHAT)] == ["other"]
