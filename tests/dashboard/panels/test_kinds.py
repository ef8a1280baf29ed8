from dashboard.panels.kinds import kinds
from tests.dashboard.answers import NOTHING_KNOWN, report, row
from tests.dashboard.looking import hrefs, view_of, words

VIEW = view_of("/?range=1h")


def test_kinds_are_counts_by_size_and_a_rate_stands_nowhere() -> None:
    shown = words(kinds(VIEW, report(row(), row("core"))))
    assert shown.startswith("error 24 timeout 16")
    assert "%" not in shown
    assert "Did not occur: rejected, aborted" in shown


def test_a_kind_leads_to_its_requests() -> None:
    assert (
        hrefs(kinds(VIEW, report(row())))[0] == "/requests?range=1h&service=chat-api&model=llama-4-70b-fp8&defect=error"
    )


def test_a_kind_of_a_load_test_leads_to_the_load_tests_requests() -> None:
    (link, *_) = hrefs(kinds(VIEW, report(row(step=0), load_test="sweep")))
    assert "load_test=sweep" in link
    assert "from=2026-11-30T12:00:00Z&to=2026-11-30T13:00:00Z" in link


def test_no_defects_at_all_can_be_told() -> None:
    assert words(kinds(VIEW, report())).strip().startswith("Did not occur: error")


def test_where_no_outcome_is_known_nothing_is_said_not_to_have_occurred() -> None:
    untold = row(defects={}, rate=NOTHING_KNOWN, unknown=70)
    assert words(kinds(VIEW, report(untold))).strip() == "Outcomes unknown for 70 requests."
    assert words(kinds(view_of("/?lang=zh"), report(untold))).strip() == "70 次请求结果未知。"
    some = words(kinds(VIEW, report(row(unknown=5))))
    assert "Outcomes unknown for 5 requests." in some
