from dashboard.panels.configuration import changes_table, reload_problems, settings_tables
from tests.dashboard.looking import of_type, view_of, words
from tests.dashboard.people import FixedChange, FixedSetting, FixedSettings
from tests.dashboard.scenery import NOW_NS


def test_settings_stand_in_groups_with_where_their_value_comes_from() -> None:
    drawn = settings_tables(view_of("/settings"), FixedSettings().rows)
    assert [table.caption for table in of_type(drawn, "Table")] == [
        "Effective configuration: server",
        "Effective configuration: access",
    ]
    assert "access.enabled true peakline.yaml:12 false" in words(drawn)


def test_a_secret_is_set_or_not_in_the_readers_language() -> None:
    rows = [FixedSetting("a.b", "set", is_secret=True), FixedSetting("a.c", "not set", is_secret=True)]
    shown = words(settings_tables(view_of("/settings?lang=zh"), rows))
    assert "已设置" in shown
    assert "未设置" in shown


def test_a_value_that_happens_to_be_called_set_is_left_alone() -> None:
    assert "a.b set" in words(settings_tables(view_of("/settings?lang=zh"), [FixedSetting("a.b", "set")]))


def test_no_configuration_is_said() -> None:
    assert "does not tell" in words(settings_tables(view_of("/settings"), []))


def test_changes_and_what_could_not_be_adopted_are_told() -> None:
    view = view_of("/settings")
    shown = words(changes_table(view, [FixedChange(NOW_NS, "alert rules", "3 rules adopted", "ada")]))
    assert "11-30 13:00:00.000 alert rules 3 rules adopted ada" in shown
    assert "rules.yaml:4: no such metric" in words(reload_problems(view, ["rules.yaml:4: no such metric"]))
    assert reload_problems(view, []) is None
