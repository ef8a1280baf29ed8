"""Who is whose ancestor: the topmost inference span above every span, without a loop per span."""

from dataclasses import dataclass

import numpy as np

from collector.arrays import Indices, Mask, Words, fingerprint

_DOUBLINGS = 20
_SALT = 0x5851F42D4C957F2D


@dataclass(frozen=True, slots=True)
class Lineage:
    """Lineage of (n,) spans; indices point into the same rows.

    top             topmost inference span on the path to the root, -1 where there is none
    depth           number of known ancestors
    parent          direct parent, -1 for a root or a parent that is not here
    parent_missing  the span names a parent that is not here
    """

    top: Indices
    depth: Indices
    parent: Indices
    parent_missing: Mask


def trace_lineage(traces: Words, spans: Words, parents: Words, is_inference: Mask) -> Lineage:
    """Lineage of spans within their traces.

    traces   (n, 2) words of the trace ids, spans (n, 1), parents (n, 1) with 0 for no parent
    returns  a span in a parent cycle is its own top if it is an inference span
    """
    parent = _parent_rows(traces, spans, parents)
    own = np.where(is_inference, np.arange(len(parent)), -1)
    best, ancestor = own.copy(), parent.copy()
    depth = (parent >= 0).astype(np.int64)
    for _ in range(_DOUBLINGS):
        below = np.flatnonzero(ancestor >= 0)
        if len(below) == 0:
            break
        above = ancestor[below]
        higher = best[above]
        best[below] = np.where(higher >= 0, higher, best[below])
        depth[below] += depth[above]
        ancestor[below] = ancestor[above]
    in_cycle = ancestor >= 0
    best[in_cycle], depth[in_cycle] = own[in_cycle], 0
    return Lineage(best, depth, parent, (parents[:, 0] != 0) & (parent < 0))


def _parent_rows(traces: Words, spans: Words, parents: Words) -> Indices:
    keys = fingerprint(_SALT, traces, spans)
    wanted = fingerprint(_SALT, traces, parents)
    order = np.argsort(keys, kind="stable")
    places = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
    rows = order[places]
    is_parent = (parents[:, 0] != 0) & (spans[rows, 0] == parents[:, 0]) & (traces[rows] == traces).all(axis=1)
    return np.where(is_parent, rows, -1)
