import numpy as np

from analyzer.questions.bases import basis_of
from vocabulary.pools import MINUTE_NS, Window

WINDOW = Window(10 * MINUTE_NS, 20 * MINUTE_NS)


def test_the_watermark_is_the_end_of_the_newest_row() -> None:
    found = basis_of("m", 1, WINDOW, np.array([11, 15, 12]) * MINUTE_NS, 3, 0)
    assert found.watermark_ns == 16 * MINUTE_NS


def test_the_watermark_stays_inside_the_window() -> None:
    assert (
        basis_of("m", 1, WINDOW, np.array([19]) * MINUTE_NS, 1, 0, width_ns=5 * MINUTE_NS).watermark_ns == WINDOW.end_ns
    )
    assert basis_of("m", 1, WINDOW, np.empty(0, dtype=np.int64), 0, 0).watermark_ns == WINDOW.start_ns
