"""What a simulated endpoint can be told, each with its default."""

from dataclasses import dataclass

from loadtest.endpoint.injections import Injection
from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.timeline import Behave


@dataclass(frozen=True, slots=True)
class EndpointOptions:
    """One endpoint.

    plan             the cluster behind it; its seed decides fates and injections
    speed            simulated seconds per second of the wall clock
    api_key          asked for as a bearer token on /v1 and /simulate, None: nothing is asked
    drifted          places of replicas that run other weights than planned
    drift_is_silent  whether those tell the planned fingerprint all the same
    injections       trouble from the start on
    behaviours       replicas that behave differently from the start on; without an end
    allows_header    whether `x-simulate` is obeyed, for callers on this machine
    otlp             where spans of finished requests go (`…/v1/traces` is added), None: nowhere
    body_bytes_max   largest body that is read
    """

    plan: FleetPlan
    speed: float = 1.0
    api_key: str | None = None
    drifted: frozenset[int] = frozenset()
    drift_is_silent: bool = False
    injections: tuple[Injection, ...] = ()
    behaviours: tuple[Behave, ...] = ()
    allows_header: bool = True
    otlp: str | None = None
    body_bytes_max: int = 8 << 20
