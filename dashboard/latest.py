"""The newest traffic that the store holds, however old: what an empty screen points to."""

from analyzer.questions.pools import pools
from store.contract import PoolActivity, TelemetryReader
from vocabulary.pools import SECOND_NS, Window

LOOK_NS = 399 * 86_400 * SECOND_NS
"""As much as the store reads at once."""

MOST_LOOKS = 6
"""How often it looks further back: six years and a half."""


def newest_activity(reader: TelemetryReader, before_ns: int) -> PoolActivity | None:
    """The pool whose last request before `before_ns` is the newest, None when there is none; blocks."""
    for look in range(MOST_LOOKS):
        end_ns = before_ns - look * LOOK_NS
        found = pools(reader, Window(end_ns - LOOK_NS, end_ns))
        if found:
            return max(found, key=lambda activity: activity.last_ns)
    return None
