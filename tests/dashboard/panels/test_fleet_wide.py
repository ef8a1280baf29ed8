from dash import html

from dashboard.panels.fleet_wide import fleet_panel, not_for_limited, without_fleet_wide
from dashboard.panels.parts import figure
from dashboard.view import View
from tests.dashboard.looking import NoReader, house_of, view_of, words
from tests.dashboard.people import LIMITED, VERA
from vocabulary.access import Principal


def seen_by(principal: Principal) -> View:
    return view_of("/", house_of(NoReader(), principal=principal))


def row() -> html.Div:
    return html.Div(
        [
            figure("Requests", "70"),
            figure("Firing", "0", "no rule", href="/alerts?range=1h"),
            figure("Lost", "0", href="/health"),
            figure("Rate", "1 %", href="/requests?defect=any"),
        ],
        className="figures",
    )


def test_figures_of_the_whole_fleet_tell_a_limited_reader_no_number() -> None:
    shown = words(without_fleet_wide(seen_by(LIMITED), row()))
    assert "Requests 70" in shown
    assert "Rate 1 %" in shown
    assert "Firing not shown about the whole fleet" in shown
    assert "Lost not shown about the whole fleet" in shown
    assert " 0" not in shown


def test_everybody_else_sees_the_row_as_it_is() -> None:
    assert words(without_fleet_wide(seen_by(VERA), row())) == words(row())


def test_a_panel_about_the_whole_fleet_keeps_its_title_and_loses_its_content() -> None:
    limited = words(fleet_panel(seen_by(LIMITED), "Alerts", "42 firing", aside="all"))
    assert (limited.startswith("Alerts"), "42" in limited) == (True, False)
    assert words(fleet_panel(seen_by(VERA), "Alerts", "42 firing", aside="all")) == "Alerts all 42 firing"


def test_a_page_says_whose_rows_may_be_read() -> None:
    assert "You may read: tenant-1, tenant-2." in words(not_for_limited(seen_by(LIMITED)))
