"""What a simulation tells about itself besides the requests that ended."""

from dataclasses import dataclass
from typing import NamedTuple


class Note(NamedTuple):
    """A change of state worth remembering: a breaker that opened, a replica that became ready.

    what     `breaker_open`, `breaker_half_open`, `breaker_closed`, `gateway_restarted`, `dependency_failing`,
             `dependency_back`, or `replica_` and the state that a replica came to
    subject  `gateway/0`, `gateway/0 model/1/2`, `model/1/2` (model and place by index), `dependency/redis`
    """

    at_s: float
    what: str
    subject: str


@dataclass(slots=True)
class TelemetryState:
    """What telemetry itself suffers at the moment.

    engine_loss, gateway_loss  shares of spans that never reach the receiver
    sample_share               share of the traces that are sampled
    """

    engine_loss: float = 0.0
    gateway_loss: float = 0.0
    sample_share: float = 1.0
