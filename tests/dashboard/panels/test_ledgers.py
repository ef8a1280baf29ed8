from dataclasses import replace

from dashboard.panels.ledgers import record_ledger, request_ledger
from dashboard.wording import wording
from tests.dashboard.answers import ledger
from tests.dashboard.looking import of_type, words

SAY = wording("en")


def test_the_request_ledger_adds_up_in_words_and_says_that_nobody_confirms_it() -> None:
    shown = words(request_ledger(ledger().requests, SAY))
    assert "1,000  offered =  990  admitted +  10  rejected" in shown
    assert "unverified" in shown
    assert "in flight 3" in shown


def test_lost_requests_are_loud_and_none_is_quiet() -> None:
    def tone(lost: int) -> object:
        lines = of_type(request_ledger(ledger(lost).requests, SAY), "Tr")
        return next(line.className for line in lines if words(line).startswith("lost"))

    assert (tone(4), tone(0)) == ("is-loss", "faint")


def test_what_rows_cannot_tell_is_unknown_and_not_zero() -> None:
    book = replace(ledger().requests, in_flight=0, lost=0)
    assert "in flight unknown" in words(request_ledger(book, SAY))
    assert "lost unknown" in words(request_ledger(book, SAY))
    assert "lost 0" in words(request_ledger(replace(book, verified="verified"), SAY))


def test_the_record_ledger_names_each_reason() -> None:
    shown = words(record_ledger(ledger(invalid_trace_id=3, too_large=2).ingest, SAY))
    assert "Spans   5,005  received =  4,990  stored +  10  duplicate +  5  rejected" in shown
    assert "invalid_trace_id 3" in shown
    assert "too_large 2" in shown


def test_nothing_received_is_said() -> None:
    assert "Nothing was received" in words(record_ledger({}, SAY))
