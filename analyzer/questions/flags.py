"""What a reader must know beside the numbers of a report."""

from enum import StrEnum


class Flag(StrEnum):
    """A circumstance that limits or explains a report; its sentence is in SENTENCES."""

    FEWER_THAN_7_DAYS = "fewer_than_7_days"
    BINOMIAL_INTERVAL = "binomial_interval"
    BASELINE_WITHOUT_DEFECTS = "baseline_without_defects"
    INSUFFICIENT_DATA = "insufficient_data"
    OVER_DISPERSED = "over_dispersed"
    UNKNOWN_OUTCOMES = "unknown_outcomes"
    REPLICAS_UNKNOWN = "replicas_unknown"
    KINDS_LEFT_OUT = "kinds_left_out"
    PENDING_MINUTES = "pending_minutes"


SENTENCES: dict[str, str] = {
    Flag.FEWER_THAN_7_DAYS: "Fewer than 7 days: intervals are provisional.",
    Flag.BINOMIAL_INTERVAL: "Some multiplier intervals rest on counts alone, not on differences between days.",
    Flag.BASELINE_WITHOUT_DEFECTS: "The lowest tier with enough requests has no defect: there is no multiplier of it.",
    Flag.INSUFFICIENT_DATA: "Tiers with fewer than 30 known outcomes are too small to compare: no multiplier.",
    Flag.OVER_DISPERSED: "Days differ more than chance would; intervals of rates are widened for it.",
    Flag.UNKNOWN_OUTCOMES: "Some requests have no known outcome; rates leave them out.",
    Flag.REPLICAS_UNKNOWN: "No request names its replica: load is that of the whole pool.",
    Flag.KINDS_LEFT_OUT: "Some kinds of defect do not count for this service; rates leave them out, columns show them.",
    Flag.PENDING_MINUTES: "Some minutes have newer data that is not counted yet.",
}
"""One sentence per flag, for people."""
