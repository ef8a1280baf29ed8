"""What a demo plays."""

import time

import pytest

from loadtest.scenarios.catalogue import load
from loadtest.scenarios.document import ScenarioError
from peakline_server.demo_folder import Note
from peakline_server.demo_story import fresh_note, story_of
from tests.factories.fleets import MONDAY_NS

HOUR_NS = 3600 * 10**9


def test_the_demos_own_story_has_two_weeks_and_three_hundred_thousand_requests() -> None:
    note = fresh_note("", 3, None, None)
    assert (note.seed, note.scenario, note.origin_ns % HOUR_NS) == (3, "", 0)
    assert note.requests_per_day == pytest.approx(300_000 / 14)
    begins_ns = note.origin_ns + note.sent_until_s * 1e9
    assert time.time_ns() - begins_ns == pytest.approx(14 * 24 * HOUR_NS, abs=60e9)


def test_a_scenario_has_its_own_days_and_requests_and_begins_at_a_midnight() -> None:
    note = fresh_note("drift", 1, None, None)
    assert (note.scenario, note.sent_until_s, note.origin_ns % (24 * HOUR_NS)) == ("drift", 0.0, 0)
    assert note.requests_per_day == load("drift").template.traffic.requests_per_day
    assert 9 <= (time.time_ns() - note.origin_ns) / (24 * HOUR_NS) < 10.1
    assert fresh_note("drift", 1, 2.0, 1000).requests_per_day == 500


def test_an_unknown_scenario_is_told() -> None:
    with pytest.raises(ScenarioError, match="there is no scenario 'noon'"):
        fresh_note("noon", 1, None, None)


def test_a_note_tells_the_whole_story_again() -> None:
    own = story_of(Note(seed=1, origin_ns=MONDAY_NS, requests_per_day=20_000.0), 60)
    assert (own.scenario.name, own.plan.service, len(own.scenario.live)) == ("demo", "assistant", 1)
    assert own.scenario.rise == own.schedule.rise
    played = story_of(Note(seed=1, origin_ns=MONDAY_NS, requests_per_day=20_000.0, scenario="rack"), None)
    assert (played.scenario.name, played.plan.cards_per_rack) == ("rack", 64)
    assert played.plan.traffic.requests_per_day == 20_000.0
