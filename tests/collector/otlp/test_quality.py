"""Quality flags are words in a fixed order."""

import numpy as np

from collector.otlp.quality import Quality, mark, quality_column


def test_flags_are_words() -> None:
    bits = np.zeros(4, np.uint32)
    mark(bits, np.array([1, 1, 3]), Quality.TRUNCATED)
    mark(bits, np.array([False, False, True, True]), Quality.NO_END)
    assert quality_column(bits).to_pylist() == ["", "truncated", "no_end", "no_end,truncated"]


def test_a_clean_body_has_empty_flags() -> None:
    assert quality_column(np.zeros(3, np.uint32)).to_pylist() == ["", "", ""]


def test_every_flag_has_its_own_bit() -> None:
    assert sum(Quality) == 2 ** len(Quality) - 1
