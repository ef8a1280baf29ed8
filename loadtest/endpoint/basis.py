"""Which weights answered, and what the engine says of itself."""

from dataclasses import dataclass
from hashlib import blake2b

from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.request import Identity


@dataclass(frozen=True, slots=True)
class Basis:
    """What stands behind an answer.

    drifted          places of replicas that run other weights than planned
    drift_is_silent  whether those tell the planned fingerprint all the same
    """

    plan: FleetPlan
    drifted: frozenset[int] = frozenset()
    drift_is_silent: bool = False

    def weights(self, identity: Identity) -> str:
        """'' for weights as planned, otherwise a text that names the other ones."""
        version = self.plan.models[identity.model].version
        names = [] if identity.place not in self.drifted else ["drifted"]
        if (identity.revision, identity.quantization) != (version.revision, version.quantization):
            names.append(f"{identity.revision} {identity.quantization}")
        return " ".join(names)

    def fingerprint(self, identity: Identity) -> str:
        """`system_fingerprint`: engine, parallelism, and a hash of the configuration that is told."""
        told: tuple[str, ...] = (
            self.plan.models[identity.model].name,
            identity.revision,
            identity.quantization,
            identity.dtype,
        )
        if identity.place in self.drifted and not self.drift_is_silent:
            told = (*told, "drifted")
        digest = blake2b(repr(told).encode(), digest_size=4).hexdigest()
        return f"vllm-{identity.engine_version}-tp{identity.cards}-{digest}"
