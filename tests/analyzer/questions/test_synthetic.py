import pytest

from analyzer.questions.pools import load_tests
from analyzer.questions.synthetic import is_synthetic, tells_synthetic
from store.contract import LoadTest
from store.control.open import Control
from store.telemetry.open import Telemetry
from tests.factories.requests import request_rows, shown
from tests.factories.stores import new_id, span, spans
from vocabulary.pools import Pool

TRACE = new_id(16)


def a_load_test(telemetry: Telemetry, control: Control, *marks: tuple[str, str]) -> LoadTest:
    """A load test whose only request has a span with these attributes."""
    shown(telemetry, control, request_rows(1, load_test="sweep", load_test_step=0, trace_id=TRACE))
    telemetry.writer.append_spans(spans(span(trace_id=TRACE, attr_json=list(marks))))
    (test,) = load_tests(telemetry.reader)
    return test


def test_a_load_test_is_synthetic_when_its_spans_say_so(telemetry: Telemetry, control: Control) -> None:
    assert is_synthetic(telemetry.reader, a_load_test(telemetry, control, ("peakline.synthetic", "true")))


@pytest.mark.parametrize("mark", [("peakline.synthetic", "false"), ("x", "true")])
def test_nothing_else_makes_it_synthetic(telemetry: Telemetry, control: Control, mark: tuple[str, str]) -> None:
    assert not is_synthetic(telemetry.reader, a_load_test(telemetry, control, mark))


def test_a_load_test_whose_requests_are_gone_is_not_called_synthetic(telemetry: Telemetry, control: Control) -> None:
    test = a_load_test(telemetry, control)
    assert not is_synthetic(telemetry.reader, LoadTest("other", Pool("a", "b"), 1, test.first_ns, test.last_ns))


def test_no_spans_tell_nothing() -> None:
    assert not tells_synthetic([])
