from dataclasses import replace

from dashboard.figures.timeline import WarningLine
from dashboard.panels.key_figures import LoadNow, key_figures
from tests.dashboard.answers import NOTHING_KNOWN, ledger, overview, point
from tests.dashboard.looking import hrefs, view_of, words
from tests.dashboard.scenery import NOW_NS, FixedAlert

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
    assert "Records lost or rejected 5 of 5,003 received · requests lost: 2" in shown(lost=2, invalid_trace_id=3)
    assert "Records lost or rejected 0" in shown()
    assert "requests lost: unknown" in shown()


def test_figures_lead_to_what_they_count() -> None:
    found = hrefs(key_figures(VIEW, ANSWER, ledger(), [FixedAlert()], LoadNow(1.0), None))
    assert found == [
        "/requests?range=1h&service=chat-api&model=llama-4-70b-fp8&defect=any",
        "/alerts?range=1h",
        "/health?range=1h",
    ]


def test_unknown_outcomes_are_told_instead_of_no_defects() -> None:
    untold = replace(overview(point(0, 1.0)), total=NOTHING_KNOWN)
    shown_words = words(key_figures(VIEW, untold, ledger(), [], LoadNow(1.0), None))
    assert "Defect rate – outcomes unknown for 1,000 requests" in shown_words


def test_a_reading_of_the_past_is_not_called_now() -> None:
    def label(now: LoadNow, address: str = "/") -> str:
        return now.label(view_of(address))

    assert label(LoadNow(1.0)) == "Load per ready replica, now"
    past = LoadNow(1.0, NOW_NS, is_per_pool=True)
    assert label(past) == "Load per pool; replicas unknown, last in window, 13:00 UTC"
    assert label(past, "/?lang=zh") == "每服务池负载（副本未知），窗口内最后值，13:00 UTC"


def test_it_is_said_by_which_time_the_load_was_counted() -> None:
    line = WarningLine(4.0, "fixed")
    assert "by end time" in words(key_figures(VIEW, ANSWER, ledger(), [], LoadNow(1.0), line))
    assert "by start time" in words(key_figures(VIEW, ANSWER, ledger(), [], LoadNow(1.0, NOW_NS), line))
