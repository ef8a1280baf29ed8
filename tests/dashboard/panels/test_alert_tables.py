from dataclasses import replace

from dashboard.panels.alert_tables import brief_table, states_table, transitions_table
from tests.dashboard.looking import hrefs, view_of, words
from tests.dashboard.scenery import FixedAlert, FixedAlerts

VIEW = view_of("/")
SILENT = FixedAlert(state="inactive", since_ns=0, value=None, no_data=True)


def test_a_state_stands_with_value_line_and_since() -> None:
    shown = words(states_table(VIEW, [FixedAlert()]))
    assert "firing load-near-line warning chat-api / llama-4-70b-fp8 0.171" in shown
    assert "0.16 fixed 0.13 12 min 34 s 2026-11-30 12:47:26 UTC" in shown


def test_silence_is_not_health() -> None:
    assert "no data; last known state" in words(states_table(VIEW, [SILENT]))
    assert "no data; last known state" in words(brief_table(VIEW, [SILENT]))


def test_the_brief_table_holds_value_and_line_and_the_word_fixed() -> None:
    assert "0.171 / 0.16 fixed 12 min 34 s" in words(brief_table(VIEW, [FixedAlert()]))


def test_every_transition_is_a_row_with_the_lines_in_force_then() -> None:
    table = transitions_table(VIEW, FixedAlerts().transitions(10))
    assert len(table.rows) == 2
    assert "11-30 12:47:26.000 load-near-line chat-api / llama-4-70b-fp8 pending firing 0.168 0.16 fixed 0.13" in words(
        table
    )
    assert "Time (UTC)" in words(table)


def test_a_transition_tells_the_kind_of_its_own_line() -> None:
    change = replace(FixedAlerts().transitions(1)[0], line_kind="derived")
    shown = words(transitions_table(VIEW, [change]))
    assert "0.16 derived 0.13" in shown
    assert "fixed" not in shown


def test_a_pool_leads_to_its_overview() -> None:
    assert hrefs(states_table(VIEW, [FixedAlert()])) == ["/?service=chat-api&model=llama-4-70b-fp8"]


def test_no_rules_are_told() -> None:
    assert "No rule has been evaluated yet." in words(states_table(VIEW, []))
    assert "No alert has changed its state yet." in words(transitions_table(VIEW, []))


def test_chinese_pages_tell_reasons_durations_and_kinds_in_chinese() -> None:
    view = view_of("/?lang=zh")
    assert "0.163 达到或超过警戒线 0.16" in words(transitions_table(view, FixedAlerts().transitions(10)))
    assert "fixed（固定）" in words(states_table(view, [FixedAlert()]))
    assert "12 分 34 秒" in words(states_table(view, [FixedAlert()]))


def test_a_pool_without_a_name_is_a_dash() -> None:
    assert "– / –" in words(states_table(VIEW, [FixedAlert(service="", model="")]))
