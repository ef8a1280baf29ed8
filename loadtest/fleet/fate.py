"""What becomes of a request inside the engine, whatever the load: a matter of its luck and the replica's behaviour."""

from bisect import bisect_right
from enum import Enum
from typing import NamedTuple

from loadtest.fleet.plan import Behaviour
from loadtest.fleet.request import Request


class Kind(Enum):
    """Bad fates, in the order in which they divide the luck."""

    ERROR = "error"
    EMPTY = "empty"
    RUNAWAY = "runaway"
    HANG = "hang"


class Fate(NamedTuple):
    """`is_base`: the behaviour as planned would have had the same in store."""

    kind: Kind | None
    is_base: bool


class Part(NamedTuple):
    """A part of the luck, up to `until`."""

    until: float
    fate: Fate


_FINE = Fate(None, is_base=False)


class FateTable:
    """Divides luck, uniform in 0..1, into fates.

    What was planned keeps its place and what a fault adds lies beyond it, so one draw tells both what happens
    and whether it would have happened anyway. Each kind has exactly its probability; where they add up to
    more than 1, the earlier kinds have theirs first.
    """

    def __init__(self, behaviour: Behaviour, planned: Behaviour) -> None:
        self.output_factor = behaviour.output_factor
        parts = _divide(_amounts(behaviour), _amounts(planned))
        self._untils = [part.until for part in parts]
        self._fates = [part.fate for part in parts] + [_FINE]
        bad = [part.until for part in parts if part.fate.kind is not None]
        self._fine_from = max(bad, default=0.0) if self.output_factor == 1.0 else 1.0

    def fate(self, luck: float) -> Fate:
        """The fate of a request with this luck."""
        return self._fates[bisect_right(self._untils, luck)]

    def draw(self, request: Request) -> None:
        """Settle how the attempt ends: at which token, cut or not, failing or hanging."""
        if request.luck >= self._fine_from:
            target, limit = request.natural_tokens, request.limit_tokens
            if target > limit:
                request.is_cut, target = True, limit
            request.target_tokens = float(target)
        else:
            self._draw_bad(request)

    def _draw_bad(self, request: Request) -> None:
        kind, request.is_base = self.fate(request.luck)
        natural = int(request.natural_tokens * self.output_factor) or 1
        limit = request.limit_tokens
        request.is_cut = natural > limit or kind is Kind.RUNAWAY
        target = limit if request.is_cut else natural
        if kind is Kind.ERROR:
            request.fails, target = True, int(request.when * target)
        elif kind is Kind.EMPTY:
            request.is_cut, target = False, 0
        request.hangs = kind is Kind.HANG
        request.target_tokens = float(target)


def _amounts(behaviour: Behaviour) -> dict[Kind, float]:
    amounts = {
        Kind.ERROR: behaviour.error_probability,
        Kind.EMPTY: behaviour.empty_probability,
        Kind.RUNAWAY: behaviour.runaway_probability,
        Kind.HANG: behaviour.hang_probability,
    }
    left = 1.0
    for kind, amount in amounts.items():
        amounts[kind] = min(amount, left)
        left -= amounts[kind]
    return amounts


def _divide(amounts: dict[Kind, float], planned: dict[Kind, float]) -> list[Part]:
    """Planned parts first, each as far as it still happens; the gaps and the rest take what came on top."""
    parts: list[Part] = []
    gaps: list[tuple[float, float]] = []
    at = 0.0
    for kind, amount in planned.items():
        stays = min(amount, amounts[kind])
        if at + stays > at:  # a part without width would shadow its neighbour
            parts.append(Part(at + stays, Fate(kind, is_base=True)))
        gaps.append((at + stays, at + amount))
        at += amount
    gaps.append((at, 1.0))
    added = [(kind, amount - planned[kind]) for kind, amount in amounts.items() if amount > planned[kind]]
    return sorted(parts + _fill(gaps, added), key=lambda part: part.until)


def _fill(gaps: list[tuple[float, float]], added: list[tuple[Kind, float]]) -> list[Part]:
    parts: list[Part] = []
    left = list(reversed(added))
    for start, end in gaps:
        at = start
        while left and at < end:
            kind, amount = left.pop()
            step = min(amount, end - at)
            if at + step > at:
                parts.append(Part(at + step, Fate(kind, is_base=False)))
            at += step
            if step < amount:
                left.append((kind, amount - step))
        if at < end:
            parts.append(Part(end, _FINE))
    return parts
