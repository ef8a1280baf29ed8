"""What the simulated models say: words drawn from a key, the same words for the same key.

Other weights (another quantization, a silent drift) say the same for most prompts; for a part of them they leave the
common text after some token and go on with words of their own, as greedy decoding does when one logit tips over.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate
from math import exp, log
from os import urandom
from random import Random

from loadtest.fleet.plan import Lengths

DIVERGING_SHARE = 0.2
"""Part of the prompts that other weights answer differently."""
_DIVERGES_AFTER = 24
_SENTENCE_MIN = 6
_SENTENCE_ENDS = 0.12
_TEXT = (
    "the of and to in is that for with as are this from by on at which or an be can has was its more when one all "
    "each two some time system load value rate model answer request queue token cache server signal window number "
    "result change line point level part cause effect limit range order step state result pattern reason measure "
    "small large early late common steady clear open high low first next last simple exact likely careful direct "
    "grows falls holds moves turns shows keeps gives takes needs means leads follows explains depends remains "
    "compares returns begins ends slowly quickly often rarely therefore however because while after before between "
    "under over without within across again also only even still about every other same different several many"
)
_WORDS = tuple(dict.fromkeys(_TEXT.split()))


@dataclass(frozen=True, slots=True)
class Sampling:
    """What decides the words besides the prompt. Temperature 0 is greedy; otherwise the seed counts, None: chance."""

    temperature: float = 1.0
    seed: int | None = None

    def key(self, model: str, prompt: bytes) -> bytes:
        """32 bytes that decide length and words of the answer."""
        parts = [model.encode(), prompt]
        if self.temperature > 0:
            parts.append(urandom(16) if self.seed is None else f"{self.seed} {self.temperature:.6g}".encode())
        digest = blake2b(digest_size=32)
        for part in parts:
            digest.update(len(part).to_bytes(8, "little"))
            digest.update(part)
        return digest.digest()


def natural_length(key: bytes, lengths: Lengths) -> int:
    """Tokens of the answer if nothing cuts it: a log-normal draw that the key decides."""
    draw = Random(b"length" + key).gauss(0.0, 1.0)
    return max(1, min(lengths.largest, round(exp(log(lengths.median) + lengths.spread * draw))))


def pieces(key: bytes, count: int, weights: str = "") -> list[str]:
    """The first `count` tokens of an answer, white space included; a shorter answer is a part of a longer one.

    weights   '' for the weights as planned, any other text for others
    """
    forks_at = count if not weights else _fork(key, weights)
    spoken = _Speech(Random(key)).speak(min(count, forks_at))
    if count > forks_at:
        spoken = _Speech(Random(key + weights.encode()), spoken).speak(count - forks_at)
    return spoken


def cut_at_stop(spoken: Sequence[str], stops: Sequence[str]) -> list[str]:
    """What is left of an answer in front of the first stop text; the token that began it may be left in part."""
    text = "".join(spoken)
    places = [place for stop in stops if (place := text.find(stop)) >= 0]
    if not places:
        return list(spoken)
    kept, left = [], min(places)
    for piece in spoken:
        if left <= 0:
            break
        kept.append(piece[:left])
        left -= len(piece)
    return kept


def tokens_to_stop(spoken: Sequence[str], stops: Sequence[str]) -> int | None:
    """Tokens until the first stop text is complete: all of them are produced, and counted; None where none comes."""
    text = "".join(spoken)
    ends = [place + len(stop) for stop in stops if (place := text.find(stop)) >= 0]
    if not ends:
        return None
    return 1 + bisect_left([*accumulate(map(len, spoken))], min(ends))


class _Speech:
    """Words and sentences; goes on from what was said so far."""

    def __init__(self, chance: Random, spoken: list[str] | None = None) -> None:
        self.chance = chance
        self.spoken = spoken or []
        self.since_stop = next((back for back, piece in enumerate(reversed(self.spoken)) if piece == "."), None)

    def speak(self, count: int) -> list[str]:
        """Say `count` tokens more; returns everything said."""
        draw, spoken, known = self.chance.random, self.spoken, len(_WORDS)
        since = len(spoken) if self.since_stop is None else self.since_stop
        for _ in range(count):
            place = draw() * known
            if since >= _SENTENCE_MIN and place % 1.0 < _SENTENCE_ENDS:
                spoken.append(".")
                since = 0
                continue
            word = _WORDS[int(place)]
            word = word if since else word.capitalize()
            spoken.append(f" {word}" if spoken else word)
            since += 1
        return spoken


def _fork(key: bytes, weights: str) -> int:
    """Tokens that other weights say as the planned ones do; a huge number where they say all the same."""
    chance = Random(b"fork" + key + weights.encode())
    if chance.random() >= DIVERGING_SHARE:
        return 1 << 60
    return 1 + int(chance.expovariate(1.0 / _DIVERGES_AFTER))
