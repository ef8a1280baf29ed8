"""Whether a rate is known to be acceptable: its interval beside the risk threshold of its service tier."""

from analyzer.questions.answers import Interval, RiskStanding


def standing(found: Interval, threshold: float) -> RiskStanding:
    """Where an interval lies beside a threshold; a rate of exactly the threshold is still accepted."""
    if found.low is None or found.high is None:
        return RiskStanding.UNKNOWN
    if found.high <= threshold:
        return RiskStanding.BELOW
    return RiskStanding.ABOVE if found.low > threshold else RiskStanding.ACROSS
