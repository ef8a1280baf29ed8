from dashboard.panels.parts import aria, chip, facts, figure, message, outcome_chip, panel, state_chip, synthetic_chip
from dashboard.wording import wording
from tests.dashboard.looking import hrefs, of_type, props, words

SAY = wording("en")


def test_a_panel_has_a_heading_and_room_beside_it() -> None:
    found = panel("Title", "body", note="note", aside="aside")
    assert words(found) == "Title note aside body"
    assert of_type(found, "H2")


def test_a_figure_stands_on_its_evidence_and_may_be_a_link() -> None:
    found = figure("Rate", "6 %", "n = 10", href="/requests")
    assert words(found) == "Rate 6 % n = 10"
    assert hrefs(found) == ["/requests"]


def test_a_state_is_told_by_icon_and_word_not_by_colour_alone() -> None:
    assert words(state_chip("firing", SAY)) == "firing"
    assert of_type(state_chip("firing", SAY), "Icon")[0].name == "warn"
    icons = [of_type(outcome_chip(outcome, SAY), "Icon")[0].name for outcome in ("completed", "failed", "rejected")]
    assert len(set(icons)) == 3


def test_synthetic_traffic_is_told_by_a_word_that_explains_itself() -> None:
    assert words(synthetic_chip(SAY)) == "synthetic"
    assert "only the counts were measured" in props(synthetic_chip(SAY))["title"]


def test_a_word_that_nobody_knows_stands_as_it_came() -> None:
    assert words(outcome_chip("vanished", SAY)) == "vanished"
    assert not of_type(chip("plain", "plain"), "Icon")


def test_bad_news_interrupts_and_a_note_does_not() -> None:
    assert props(message("t", "x", "bad"))["role"] == "alert"
    assert props(message("t", "x"))["role"] == "note"
    assert words(facts([("name", "value")])) == "name value"
    assert aria("x") == {"aria-label": "x"}
