"""Who looked at a request: the role of the component that emitted a span."""

from enum import StrEnum


class HopRole(StrEnum):
    """One component's place on the way of a request; `other` is a span that is no hop."""

    CLIENT = "client"
    GATEWAY = "gateway"
    ROUTER = "router"
    ENGINE = "engine"
    PREFILL = "prefill"
    DECODE = "decode"
    EXTERNAL = "external"
    DEPENDENCY = "dependency"
    OTHER = "other"


ENGINE_FIRST: tuple[HopRole, ...] = (
    HopRole.ENGINE,
    HopRole.DECODE,
    HopRole.PREFILL,
    HopRole.ROUTER,
    HopRole.GATEWAY,
    HopRole.CLIENT,
    HopRole.EXTERNAL,
)
"""Order in which roles are asked for what only the engine knows (phases, tokens, replica)."""

GATEWAY_FIRST: tuple[HopRole, ...] = (
    HopRole.GATEWAY,
    HopRole.ROUTER,
    HopRole.CLIENT,
    HopRole.ENGINE,
    HopRole.DECODE,
    HopRole.PREFILL,
    HopRole.EXTERNAL,
)
"""Order in which roles are asked for what the caller saw (HTTP status, tenant, pool, retries)."""
