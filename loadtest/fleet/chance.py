"""Chance that belongs to a request: the same number always draws the same, whatever happened before."""

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_UNIT = 2.0**-53

CANARY, GATEWAY_RETRY, CLIENT_RETRY = 1, 2, 3
DEPENDENCY = 16  # and the next ones, one for each dependency


def portion(number: int, purpose: int) -> float:
    """Uniform in [0, 1), independent from one purpose to the next.

    source  Steele, Lea, Flood 2014: the mixer of SplitMix64, shortened by a round because it is asked often
    """
    mixed = ((number + purpose * _FIRST) * _GOLDEN) & _MASK
    mixed = ((mixed ^ (mixed >> 32)) * _SECOND) & _MASK
    return ((mixed ^ (mixed >> 29)) >> 11) * _UNIT
