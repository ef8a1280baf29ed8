"""Hops into requests: a request is the subtree under its topmost inference span.

Pure and deterministic: the same hops give the same requests in whatever order they arrived, so that
requests of a trace can be computed again when a late hop joins it. The request key is a hash of the
trace id and the topmost hop's span id; its anchor is that hop's start.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from collector.arrays import Indices, Mask, binary, codes, fingerprint, flags, flat, integers, numbers, words
from collector.lineage import Lineage, trace_lineage
from collector.outcome import judge, late
from store.telemetry import columns
from vocabulary.fields import CANONICAL, Field, Preference
from vocabulary.pools import SECOND_NS
from vocabulary.roles import ENGINE_FIRST, GATEWAY_FIRST, HopRole
from vocabulary.services import ServiceBook
from vocabulary.tiers import ServiceTier

_ORDERS: Mapping[Preference, Sequence[HopRole]] = {Preference.ENGINE: ENGINE_FIRST, Preference.GATEWAY: GATEWAY_FIRST}
_OUTERMOST_FIRST = (*GATEWAY_FIRST[2:3], *GATEWAY_FIRST[:2], *ENGINE_FIRST[:3], HopRole.EXTERNAL, HopRole.DEPENDENCY)
_KEY_SALTS = (0xA0761D6478BD642F, 0xE7037ED1A0B428DB)
_ATTEMPT_SALT = 0x8EBC6AF09C88C6E3
_NOT_ASKED = 99
_OUTER_ROLES = GATEWAY_FIRST.index(HopRole.ENGINE)  # gateway, router and client come before the engine
_TIME_FLOOR_NS = 946_684_800 * SECOND_NS  # 2000-01-01: an earlier start is a clock that was never set
_DAY_NS = 86_400 * SECOND_NS
_MAX_EMITTERS = 62
_ENDING_FIELDS = ("http_status", "error_type", "stated_outcome")

REQUESTS_UNVERSIONED = pa.schema([field for field in columns.REQUESTS if field.name not in {"version", "is_retracted"}])


NOTHING_PROMISED = ServiceBook()


def correlate(hops: pa.Table, services: ServiceBook = NOTHING_PROMISED) -> pa.Table:
    """Requests of whole traces, one row each, ordered by anchor then key.

    hops      HOPS columns of distinct spans, all spans of each trace that are known so far
    services  the latency objectives that they are judged by
    returns   REQUESTS columns without version and is_retracted
    """
    if hops.num_rows == 0:
        return REQUESTS_UNVERSIONED.empty_table()
    lineage = trace_lineage(
        words(hops["trace_id"]), words(hops["span_id"]), words(hops["parent_span_id"]), flags(hops["is_inference"])
    )
    top = _join_attempts(hops, lineage)
    members = np.flatnonzero(top >= 0)
    if len(members) == 0:
        return REQUESTS_UNVERSIONED.empty_table()
    roots, group = np.unique(top[members], return_inverse=True)
    subtree = _Subtrees(
        rows=hops.take(members),
        group=group,
        depth=lineage.depth[members],
        is_attempt=lineage.top[members] == members,
        groups=len(roots),
    )
    table = _assemble(hops.take(roots), subtree, lineage.parent_missing[roots], services)
    return table.sort_by([("anchor_ns", "ascending"), ("request_key", "ascending")])


def _join_attempts(hops: pa.Table, lineage: Lineage) -> Indices:
    """Siblings that share a request id are attempts of one request: the earliest stands for all."""
    top = lineage.top.copy()
    tops = np.unique(top[top >= 0])
    ids, texts = codes(hops["request_id"].take(tops))
    if "" in texts:
        keep = ids != texts.index("")
        tops, ids = tops[keep], ids[keep]
    if len(tops) == 0:
        return top
    parents = words(hops["parent_span_id"].take(tops))
    has_parent = parents[:, 0] != 0
    tops, ids, parents = tops[has_parent], ids[has_parent], parents[has_parent]
    family = fingerprint(_ATTEMPT_SALT, words(hops["trace_id"].take(tops)), parents, ids.astype(np.uint64)[:, None])
    order = np.lexsort((words(hops["span_id"].take(tops))[:, 0], integers(hops["start_ns"].take(tops)), family))
    _, first, member = np.unique(family[order], return_index=True, return_inverse=True)
    stands_for = np.arange(hops.num_rows)
    stands_for[tops[order]] = tops[order][first[member]]
    return np.where(top >= 0, stands_for[top], -1)


@dataclass(frozen=True)
class _Subtrees:
    """Member hops of (groups,) requests.

    group       the request each hop belongs to
    depth       known ancestors of each hop
    is_attempt  whether the hop is topmost itself: the request's root, or a sibling that is another attempt of it
    """

    rows: pa.Table
    group: Indices
    depth: Indices
    is_attempt: Mask
    groups: int

    @cached_property
    def ranks(self) -> Mapping[Preference, Indices]:
        """Per preference, the place of each hop's role among those that are asked."""
        return {prefer: self._ranks(order) for prefer, order in _ORDERS.items()}

    @cached_property
    def orders(self) -> Mapping[Preference, Indices]:
        """Per preference, the rows to ask, in the order of asking."""
        return {prefer: self._sorted_by(rank) for prefer, rank in self.ranks.items()}

    def _ranks(self, order: Sequence[HopRole]) -> Indices:
        code, texts = codes(self.rows["hop_role"])
        rank = {str(role): place for place, role in enumerate(order)}
        return np.asarray([rank.get(text, _NOT_ASKED) for text in texts], dtype=np.int64)[code]

    def _sorted_by(self, rank: Indices) -> Indices:
        """Row order: by request, then role, outer before inner, the latest attempt first; askable rows only."""
        start = integers(self.rows["start_ns"])
        span = words(self.rows["span_id"])[:, 0]
        order = np.lexsort((span, -start, self.depth, rank, self.group))
        return order[rank[order] < _NOT_ASKED]


def _assemble(roots: pa.Table, subtree: _Subtrees, parent_missing: Mask, services: ServiceBook) -> pa.Table:
    picked, status_code = _judged_by_one_hop(subtree, _pick_all(subtree))
    received, start = integers(roots["received_ns"]), integers(roots["start_ns"])
    is_plausible = (start >= _TIME_FLOOR_NS) & (start <= received + _DAY_NS)
    anchor = np.where(is_plausible, start, received)
    end, has_end = _ends(subtree)
    e2e = np.where(has_end & is_plausible, (end - start) / SECOND_NS, np.nan)
    named = _named(picked)
    is_late = late(named, picked, e2e, services)
    judged = judge(picked, status_code, has_end, _tokens_asked(subtree, picked), is_late)
    values: dict[str, Any] = {
        "request_key": request_keys(roots),
        "anchor_ns": pa.array(anchor),
        "trace_id": roots["trace_id"],
        "root_span_id": roots["span_id"],
        "end_ns": pa.array(end, mask=~has_end),
        "e2e_s": pa.array(e2e, from_pandas=True),
        "tpot_s": _time_per_output_token(picked, e2e, roots),
        "outcome": judged.outcome,
        "defects": judged.defects,
        "truncation_cause": judged.truncation_cause,
        "hop_count": pa.array(
            np.minimum(np.bincount(subtree.group, minlength=subtree.groups), 65535).astype(np.uint16)
        ),
        "hop_roles": _distinct_texts(subtree, "hop_role", [str(role) for role in _OUTERMOST_FIRST]),
        "emitters": _distinct_texts(subtree, "emitter", []),
        "quality": _quality(parent_missing, is_plausible),
    }
    values |= {field.name: picked[field.name] for field in CANONICAL}
    values |= {name: named[name] for name in named.column_names}
    return pa.table([values[field.name] for field in REQUESTS_UNVERSIONED], schema=REQUESTS_UNVERSIONED)


def _named(picked: pa.Table) -> pa.Table:
    """Service, model and service tier: what definitions of services go by."""
    return pa.table(
        {
            "service": picked["service"],
            "model": _or_else(picked["model_requested"], picked["model_id"]),
            "service_tier": _or_else(picked["service_tier"], pa.scalar(str(ServiceTier.GENERAL))),
        }
    )


def _quality(parent_missing: Mask, is_plausible: Mask) -> pa.Array:
    """What to know before trusting a request: its parent never came, or its start cannot be true."""
    texts = pa.array(["", "parent_missing", "start_implausible", "parent_missing,start_implausible"])
    return texts.take(pa.array(parent_missing + 2 * ~is_plausible))


def _ends(subtree: _Subtrees) -> tuple[Indices, Mask]:
    """End of the last attempt of each request, and whether every attempt tells its end."""
    tops = np.flatnonzero(subtree.is_attempt)
    ends, group = flat(subtree.rows["end_ns"].take(tops)), subtree.group[tops]
    last = np.zeros(subtree.groups, dtype=np.int64)
    np.maximum.at(last, group, integers(ends))
    has_end = np.ones(subtree.groups, dtype=np.bool_)
    has_end[group[ends.is_null().to_numpy(zero_copy_only=False)]] = False
    return last, has_end


def _judged_by_one_hop(subtree: _Subtrees, picked: pa.Table) -> tuple[pa.Table, Indices]:
    """The picked fields with those that tell how it ended from one hop, and that hop's span status.

    Each role is represented by its outermost, latest attempt: an attempt that failed and was tried again says
    nothing about the request. Of the representatives, in the caller's order, the first that tells an ending counts.
    """
    rank, order = subtree.ranks[Preference.GATEWAY], subtree.orders[Preference.GATEWAY]
    _, first = np.unique(subtree.group[order] * (_NOT_ASKED + 1) + rank[order], return_index=True)
    speakers = order[np.sort(first)]
    status = integers(subtree.rows["status_code"])
    tells = status[speakers] != 0
    for name in _ENDING_FIELDS:
        column = flat(subtree.rows[name].take(speakers))
        known = pc.not_equal(column, "") if pa.types.is_string(column.type) else column.is_valid()
        tells |= known.to_numpy(zero_copy_only=False)
    by_ending = np.lexsort((np.arange(len(speakers)), ~tells, subtree.group[speakers]))
    groups, place = np.unique(subtree.group[speakers][by_ending], return_index=True)
    judge_of = np.full(subtree.groups, -1, dtype=np.int64)
    judge_of[groups] = speakers[by_ending][place]
    chosen = pa.array(judge_of, mask=judge_of < 0)
    for name in _ENDING_FIELDS:
        column = flat(subtree.rows[name]).take(chosen)
        place_of = picked.schema.get_field_index(name)
        is_text = pa.types.is_string(column.type)
        picked = picked.set_column(place_of, picked.field(name), column.fill_null("") if is_text else column)
    return picked, np.where(judge_of >= 0, status[judge_of], 0)


def _or_else(texts: Any, other: Any) -> Any:
    return pc.if_else(pc.equal(texts, ""), other, texts)


def request_keys(roots: pa.Table) -> pa.Array:
    """128-bit names of requests: a hash of (trace id, topmost span id), the same on every machine."""
    trace, span = words(roots["trace_id"]), words(roots["span_id"])
    return binary(np.stack([fingerprint(salt, trace, span) for salt in _KEY_SALTS], axis=1))


def _pick_all(subtree: _Subtrees) -> pa.Table:
    picked = [_pick(subtree, field) for field in CANONICAL]
    return pa.table(picked, schema=pa.schema(columns.CANONICAL_COLUMNS))


def _pick(subtree: _Subtrees, field: Field) -> pa.Array:
    """The first known value per request, as its field prefers; token counts add up over that role's attempts."""
    order, rank = subtree.orders[field.prefer], subtree.ranks[field.prefer]
    column = flat(subtree.rows[field.name])
    is_text = pa.types.is_string(column.type)
    known = (pc.not_equal(column, "") if is_text else column.is_valid()).to_numpy(zero_copy_only=False)
    rows = order[known[order]]
    winners = np.full(subtree.groups, -1, dtype=np.int64)
    groups, first = np.unique(subtree.group[rows], return_index=True)
    winners[groups] = rows[first]
    if field.summed:
        return _sum_like_winner(subtree, column, rows, winners, rank)
    values = column.take(pa.array(winners, mask=winners < 0))
    return values.fill_null("") if is_text else values


def _tokens_asked(subtree: _Subtrees, picked: pa.Table) -> npt.NDArray[np.float64]:
    """(groups,) max_tokens as the caller asked, NaN where it did not.

    An engine reports the room left where no limit was asked, so its word counts only without a hop before it.
    """
    is_outer = subtree.ranks[Preference.GATEWAY] < _OUTER_ROLES
    has_outer = np.bincount(subtree.group[is_outer], minlength=subtree.groups) > 0
    told = is_outer & ~np.isnan(numbers(subtree.rows["max_tokens"]))
    has_told = np.bincount(subtree.group[told], minlength=subtree.groups) > 0
    return np.where(has_outer & ~has_told, np.nan, numbers(picked["max_tokens"]))


def _sum_like_winner(subtree: _Subtrees, column: pa.Array, rows: Indices, winners: Indices, rank: Indices) -> pa.Array:
    winner = winners[subtree.group[rows]]
    alike = (rank[rows] == rank[winner]) & (subtree.depth[rows] == subtree.depth[winner])
    totals = np.zeros(subtree.groups, dtype=np.int64)
    np.add.at(totals, subtree.group[rows[alike]], integers(column)[rows[alike]])
    return pa.array(totals, mask=winners < 0)


def _time_per_output_token(picked: pa.Table, e2e: npt.NDArray[np.float64], roots: pa.Table) -> pa.Array:
    engine = numbers(picked["engine_e2e_s"])
    is_engine = np.asarray(pc.equal(roots["hop_role"], str(HopRole.ENGINE)).to_numpy(), dtype=np.bool_)
    total = np.where(np.isnan(engine) & is_engine, e2e, engine)
    output = numbers(picked["output_tokens"])
    with np.errstate(invalid="ignore", divide="ignore"):
        value = (total - numbers(picked["server_ttft_s"])) / (output - 1)
    return pa.array(np.where((output >= 2) & (value >= 0), value, np.nan), from_pandas=True)  # noqa: PLR2004 - two tokens make one gap


def _distinct_texts(subtree: _Subtrees, name: str, order: Sequence[str]) -> pa.Array:
    """Distinct texts per request, comma-separated; one Python step per distinct combination."""
    code, texts = codes(subtree.rows[name])
    place = {text: index for index, text in enumerate([*order, *sorted(set(texts) - set(order))])}
    bit = np.asarray([min(place[text], _MAX_EMITTERS) for text in texts], dtype=np.uint64)[code]
    masks = np.zeros(subtree.groups, dtype=np.uint64)
    np.bitwise_or.at(masks, subtree.group, np.uint64(1) << bit)
    distinct, which = np.unique(masks, return_inverse=True)
    names = [text for text in place if text not in {"", str(HopRole.OTHER)}]
    joined = [",".join(text for text in names if int(mask) >> min(place[text], _MAX_EMITTERS) & 1) for mask in distinct]
    return pa.array(joined, pa.string()).take(pa.array(which))
