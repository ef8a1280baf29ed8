"""What each happening of a run touched, with absolute times and the names that telemetry uses."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from loadtest.emission.sources import gateway_resource, rack_name
from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.request import Identity
from loadtest.fleet.simulation import Simulation
from loadtest.fleet.timeline import (
    FailDependency,
    Happening,
    LeakDescriptors,
    OnReplicas,
    Scale,
    SlowLink,
    Timeline,
)

Pod = Callable[[Identity | None], str]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)
_TIMES = frozenset({"kind", "at_s", "for_s"})


def instant(plan: FleetPlan, at_s: float) -> str:
    """A simulated second as RFC 3339 with milliseconds, UTC; the year 9999 has the last ones."""
    try:
        at = _EPOCH + timedelta(microseconds=plan.origin_ns // 1000 + round(at_s * 1_000) * 1000)
    except OverflowError:
        at = _LAST
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def touched(
    plan: FleetPlan,
    timeline: Timeline,
    simulation: Simulation,
    seen: Mapping[Identity, int],
    pod: Pod,
    requests: pa.Table,
) -> list[dict[str, Any]]:
    """One entry per happening, in the order of their bits.

    seen      exposure bits of the requests that each replica served
    requests  all that ended; those with the happening's bit are counted
    """
    entries = []
    for index, happening in enumerate(timeline):
        bit = 1 << index
        is_exposed = pc.not_equal(pc.bit_wise_and(requests["exposure"], pa.scalar(bit, pa.uint64())), 0)
        exposed = requests.filter(is_exposed)
        identities = sorted(identity for identity, bits in seen.items() if bits & bit)
        entries.append(
            {
                "bit": index,
                "kind": happening.__struct_config__.tag,
                "from": instant(plan, happening.at_s),
                "until": None if happening.for_s is None else instant(plan, happening.until_s),
                "what": {key: value for key, value in msgspec.to_builtins(happening).items() if key not in _TIMES},
                "pods": _pods([one for one in identities if _is_touched(plan, happening, simulation, one)], pod),
                "gateways": _gateways(plan, happening),
                "racks": [rack_name(happening.rack)] if isinstance(happening, SlowLink) else [],
                "dependencies": [happening.dependency] if isinstance(happening, FailDependency) else [],
                "requests": exposed.num_rows,
                "defects": pc.sum(exposed["is_defect"].cast(pa.int64())).as_py() or 0,
            }
        )
    return entries


def _pods(identities: list[Identity], pod: Pod) -> list[str]:
    """Each pod once, though an upgrade in place gives it another identity."""
    return list(dict.fromkeys(pod(identity) for identity in identities))


def _is_touched(plan: FleetPlan, happening: Happening, simulation: Simulation, identity: Identity) -> bool:
    """Whether the happening is about this replica, and not only about requests that came to it."""
    if isinstance(happening, SlowLink):
        replica = simulation.pools[identity.model].replicas[identity.place]
        return happening.rack in {rack.index for rack in replica.racks}
    if isinstance(happening, OnReplicas | Scale) and plan.models[identity.model].name != happening.model:
        return False
    if isinstance(happening, OnReplicas):
        return not happening.replicas or identity.place in happening.replicas
    if isinstance(happening, Scale):
        return identity.place >= plan.models[identity.model].replicas
    return False


def _gateways(plan: FleetPlan, happening: Happening) -> list[str]:
    if not isinstance(happening, LeakDescriptors):
        return []
    return [str(gateway_resource(plan, happening.gateway)["k8s.pod.name"])]
