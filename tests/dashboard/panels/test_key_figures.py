from dashboard.figures.timeline import WarningLine
from dashboard.panels.key_figures import LoadNow, key_figures
from tests.dashboard.answers import ledger, overview, point
from tests.dashboard.looking import hrefs, view_of, words
from tests.dashboard.scenery import FixedAlert

VIEW = view_of("/?range=1h")
ANSWER = overview(point(0, 1.0))


def shown(load_rps: float | None = 3.0, line: float | None = 4.0, lost: int = 0, **rejected: int) -> str:
    found = None if line is None else WarningLine(line, "fixed")
    return words(key_figures(VIEW, ANSWER, ledger(lost, **rejected), [FixedAlert()], LoadNow(load_rps), found))


def test_the_defect_rate_stands_with_interval_level_and_n() -> None:
    assert "4 % [3, 6] % at 95 % · n = 1,000" in shown()


def test_load_is_told_as_a_share_of_the_line() -> None:
    assert "75 % of the fixed line 4" in shown(3.0)
    assert "amber" not in shown(3.0)
    assert "amber" in shown(3.2)
    assert "over the line" in shown(4.0)
    derived = key_figures(VIEW, ANSWER, ledger(), [FixedAlert()], LoadNow(2.0), WarningLine(4.0, "derived"))
    assert "50 % of the derived line 4" in words(derived)


def test_without_a_line_or_a_reading_that_is_said() -> None:
    assert "no rule draws a line" in shown(line=None)
    assert "no reading" in shown(load_rps=None)


def test_losses_count_rejected_records_and_lost_requests() -> None:
    assert "Records lost or rejected 5 of 5,003 received · 2 requests lost" in shown(lost=2, invalid_trace_id=3)
    assert "Records lost or rejected 0" in shown()


def test_figures_lead_to_what_they_count() -> None:
    found = hrefs(key_figures(VIEW, ANSWER, ledger(), [FixedAlert()], LoadNow(1.0), None))
    assert found == [
        "/requests?range=1h&service=chat-api&model=llama-4-70b-fp8&defect=any",
        "/alerts?range=1h",
        "/health?range=1h",
    ]
