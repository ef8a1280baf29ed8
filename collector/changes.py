"""What late hops change: requests before and after, compared by key."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from collector.arrays import Mask, binary_rows, flat, words


@dataclass(frozen=True, slots=True)
class Change:
    """Requests of some traces before and after hops joined them; all tables have the columns of `correlate`.

    written   requests that are new or read differently now
    replaced  what the latter were before
    gone      keys that are no request any more
    """

    written: pa.Table
    replaced: pa.Table
    gone: pa.Table


def changed_requests(before: pa.Table, after: pa.Table) -> Change:
    """Compare requests by key; one that reads the same is in none of the tables."""
    if before.num_rows == 0:
        return Change(after, before, before)
    old, new = binary_rows(words(before["request_key"])), binary_rows(words(after["request_key"]))
    order = np.argsort(old, kind="stable")
    place = order[np.minimum(np.searchsorted(old, new, sorter=order), len(old) - 1)]
    is_known = old[place] == new
    matched, counterpart = np.flatnonzero(is_known), place[is_known]
    differs = ~_equal_rows(after.take(matched), before.take(counterpart))
    is_written = ~is_known
    is_written[matched[differs]] = True
    is_gone = np.ones(len(old), dtype=np.bool_)
    is_gone[counterpart] = False
    return Change(
        written=after.filter(pa.array(is_written)),
        replaced=before.take(counterpart[differs]),
        gone=before.filter(pa.array(is_gone)),
    )


def _equal_rows(one: pa.Table, other: pa.Table) -> Mask:
    """(n,) whether row i of both tables has equal values; NULL equals NULL."""
    equal = np.ones(one.num_rows, dtype=np.bool_)
    for name in one.column_names:
        left, right = flat(one[name]), flat(other[name])
        same = pc.or_(pc.fill_null(pc.equal(left, right), False), pc.and_(left.is_null(), right.is_null()))  # noqa: FBT003 - Arrow's argument
        equal &= same.to_numpy(zero_copy_only=False)
    return equal
