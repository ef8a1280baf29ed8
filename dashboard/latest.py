"""The newest traffic that the store holds, however old: what an empty screen points to."""

from analyzer.questions.pools import pools
from store.contract import PoolActivity, TelemetryReader
from vocabulary.pools import SECOND_NS, Window

_DAY_NS = 86_400 * SECOND_NS

LOOK_NS = 399 * _DAY_NS
"""As much as the store reads at once."""

LIMITED_LOOK_NS = 31 * _DAY_NS
"""The same for somebody limited to tenants, whose counts are made from single requests."""

MOST_LOOKS = 6
"""How often it looks further back: six years and a half; half a year within tenants."""


def newest_activity(reader: TelemetryReader, before_ns: int, *, is_limited: bool = False) -> PoolActivity | None:
    """The pool whose last request before `before_ns` is the newest, None when there is none; blocks."""
    look_ns = LIMITED_LOOK_NS if is_limited else LOOK_NS
    for look in range(MOST_LOOKS):
        end_ns = before_ns - look * look_ns
        found = pools(reader, Window(end_ns - look_ns, end_ns))
        if found:
            return max(found, key=lambda activity: activity.last_ns)
    return None
