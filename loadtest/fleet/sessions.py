"""Which requests are further turns of a conversation, and what of their prompts its earlier turns left.

Arrivals stay as they were drawn: turns are found among them. Each tenant and model has lanes, as many as its
conversations that go on at once; a turn follows the request before it in its lane, if that one can have been
answered and read. Lanes end once per stretch of time, at another moment for each tenant and model, so that no
moment begins without conversations, and no turn depends on anything older than one stretch.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from loadtest.fleet.columns import Columns
from loadtest.fleet.plan import ModelPlan

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
_EVERY_S = 120.0  # mean seconds from one request of a lane to the next
_READ_S = 8.0  # a turn comes at least so long after the one before …
_READ_PER_TOKEN_S = 0.05  # … and so much longer for each token that is written and read
_FORGOTTEN_S = 1800.0  # nobody comes back after so long
_SHORTER = 4  # a further turn adds a quarter of what a first prompt has
_PHASE = 0.618_033_988_75  # multiples of the golden ratio lie evenly in 0..1


class Part(NamedTuple):
    """Some rows of a stretch of arrivals."""

    columns: Columns
    rows: Ints


class _Turns(NamedTuple):
    """(n,) requests sorted by lane, then by time; `said` are tokens of a prompt if it is the first of a session."""

    lane: Ints
    arrival_s: Floats
    luck: Floats
    window: Ints
    said: Ints
    answered: Ints


@dataclass(frozen=True)
class Sessions:
    """Links requests to conversations.

    share    part of all requests that are further turns
    seconds  length of a stretch
    """

    models: tuple[ModelPlan, ...]
    tenants: int
    share: float
    seconds: float

    def link(self, before: Columns | None, now: Columns, start_s: float, first_session: int) -> None:
        """Set session, prefix and prompt of the requests whose lanes end in `now`, which begins at `start_s`.

        before  the stretch before it, whose earlier lanes are linked already; None when there was nothing
        """
        parts = [Part(now, np.flatnonzero(self._progress(now, start_s) < 0))]
        spans = self._phases * self.seconds
        if before is not None:
            late = np.flatnonzero(self._progress(before, start_s - self.seconds) >= 0)
            parts, spans = [Part(before, late), *parts], np.full_like(spans, self.seconds)
        order, turns = self._turns(parts, spans)
        if len(order):
            follows = _follows(turns, self.share)
            added = np.where(follows, np.clip(turns.said // _SHORTER, 1, turns.window // 4 - 1), turns.said)
            follows, first, prefix = _contexts(follows, added + turns.answered, turns.window)
            spoken = follows | np.append(follows[1:], False)
            session = np.where(spoken, first_session + first, -1)
            _store(parts, order, session, prefix, prefix + added)

    @cached_property
    def _phases(self) -> Floats:
        """(groups,) part of a stretch at which lanes of a tenant and a model end."""
        return np.asarray(np.arange(1, self.tenants * len(self.models) + 1) * _PHASE % 1.0)

    def _group(self, tenant: Ints, model: Ints) -> Ints:
        return tenant * len(self.models) + model

    def _progress(self, columns: Columns, start_s: float) -> Floats:
        """(n,) seconds since lanes of this tenant and model ended in the stretch; negative before that."""
        phases = self._phases[self._group(columns.tenant, columns.model)]
        return np.asarray(columns.arrival_s - start_s - phases * self.seconds)

    def _turns(self, parts: Sequence[Part], spans: Floats) -> tuple[Ints, _Turns]:
        """The rows of the parts by lane and time, and where each stood; `spans` (groups,) seconds that they cover."""
        model = _joined(parts, "model")
        group = self._group(_joined(parts, "tenant"), model)
        lanes = np.maximum(np.rint(np.bincount(group, minlength=len(spans)) * _EVERY_S / spans), 1)
        lane = group * int(lanes.max()) + (_joined(parts, "lane") * lanes[group]).astype(np.int64)
        order = np.argsort(lane, kind="stable")
        natural, asked = _joined(parts, "natural_tokens")[order], _joined(parts, "max_tokens")[order]
        return order, _Turns(
            lane=lane[order],
            arrival_s=_joined(parts, "arrival_s")[order],
            luck=_joined(parts, "luck_of_turn")[order],
            window=np.array([one.context_window for one in self.models])[model][order],
            said=_joined(parts, "prompt_tokens")[order],
            answered=np.where(asked > 0, np.minimum(natural, asked), natural),
        )


def _joined(parts: Sequence[Part], name: str) -> npt.NDArray[Any]:
    return np.concatenate([getattr(part.columns, name)[part.rows] for part in parts])


def _follows(turns: _Turns, share: float) -> Bools:
    """(n,) whether it follows the row above: drawn among those that can, so that `share` of all do."""
    can = np.zeros(len(turns.lane), dtype=np.bool_)
    gap = np.diff(turns.arrival_s)
    written = turns.answered[:-1]
    can[1:] = (
        (turns.lane[1:] == turns.lane[:-1])
        & (gap >= _READ_S + _READ_PER_TOKEN_S * written)
        & (gap <= _FORGOTTEN_S)
        & (turns.said[:-1] + written < _budget(turns.window[:-1]))
    )
    return np.asarray(can & (turns.luck * max(int(can.sum()), 1) < share * len(can)))


def _contexts(follows: Bools, grown: Ints, window: Ints) -> tuple[Bools, Ints, Ints]:
    """Conversations that would outgrow three quarters of the window begin anew.

    grown    (n,) tokens that a turn adds to the context: new prompt and answer
    returns  (n,) follows; (n,) row of the first turn; (n,) tokens of the turns before
    """
    so_far = np.cumsum(grown) - grown
    first = _first(follows)
    block = (so_far - so_far[first]) // _budget(window)
    follows = follows & np.append(False, block[1:] == block[:-1])
    first = _first(follows)
    return follows, first, so_far - so_far[first]


def _first(follows: Bools) -> Ints:
    return np.maximum.accumulate(np.where(follows, 0, np.arange(len(follows))))


def _budget(window: Ints) -> Ints:
    return np.asarray(np.maximum(window * 3 // 4, 1))


def _store(parts: Sequence[Part], order: Ints, session: Ints, prefix: Ints, prompt: Ints) -> None:
    told = np.empty((3, len(order)), dtype=np.int64)
    told[:, order] = (session, prefix, prompt)
    start = 0
    for columns, rows in parts:
        end = start + len(rows)
        columns.session[rows], columns.prefix_tokens[rows], columns.prompt_tokens[rows] = told[:, start:end]
        start = end
