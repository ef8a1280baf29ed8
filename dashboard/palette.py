"""Colours and patterns. Okabe and Ito 2008: told apart with every common colour blindness.

A shape, a hatch or a word always says the same as the colour.
"""

from vocabulary.outcomes import Outcome

BLUE = "#0072B2"
SKY = "#56B4E9"
GREEN = "#009E73"
YELLOW = "#F0E442"
ORANGE = "#E69F00"
VERMILLION = "#D55E00"
PURPLE = "#CC79A7"
GREY = "#8A929B"

LOAD = BLUE
DEFECT = VERMILLION
AMBER_LINE = ORANGE
FIXED_LINE = VERMILLION

SERIES: tuple[str, ...] = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILLION)
PATTERNS: tuple[str, ...] = ("", "/", "x", ".", "-", "+")

OUTCOME_COLOURS: dict[str, str] = {
    Outcome.COMPLETED: GREEN,
    Outcome.FAILED: VERMILLION,
    Outcome.TIMED_OUT: ORANGE,
    Outcome.ABORTED: PURPLE,
    Outcome.REJECTED: SKY,
    Outcome.UNKNOWN: GREY,
}


def tint(colour: str, opacity: float) -> str:
    """`#RRGGBB` as a CSS rgba() of that opacity (0..1)."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"
