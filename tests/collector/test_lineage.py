"""The topmost inference span above every span."""

import numpy as np
import pytest

from collector.lineage import Lineage, trace_lineage


def _lineage(parents: dict[int, int], inference: set[int]) -> Lineage:
    spans = np.array(sorted(parents), dtype=np.uint64)[:, None]
    above = np.array([parents[number] for number in sorted(parents)], dtype=np.uint64)[:, None]
    traces = np.ones((len(spans), 2), dtype=np.uint64)
    return trace_lineage(traces, spans, above, np.array([number in inference for number in sorted(parents)]))


def test_the_topmost_inference_span_wins_over_nearer_ones() -> None:
    found = _lineage({1: 0, 2: 1, 3: 2, 4: 3}, {2, 4})
    assert found.top.tolist() == [-1, 1, 1, 1]
    assert found.depth.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("length", [1, 2, 3, 100, 5000])
def test_chains_of_any_length_end_at_their_root(length: int) -> None:
    found = _lineage({number: number - 1 for number in range(1, length + 1)}, {1})
    assert (found.top == 0).all()
    assert found.depth.tolist() == list(range(length))


def test_spans_in_a_cycle_stand_alone() -> None:
    found = _lineage({1: 2, 2: 1, 3: 1, 4: 4}, {1, 2, 3, 4})
    assert found.top.tolist() == [0, 1, 2, 3]


def test_a_parent_in_another_trace_is_no_parent() -> None:
    spans = np.array([[1], [2]], dtype=np.uint64)
    traces = np.array([[1, 1], [1, 2]], dtype=np.uint64)
    found = trace_lineage(traces, spans, np.array([[0], [1]], dtype=np.uint64), np.array([True, True]))
    assert found.top.tolist() == [0, 1]
    assert found.parent_missing.tolist() == [False, True]
