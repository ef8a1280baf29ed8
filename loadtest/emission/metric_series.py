"""Which series each source has, and how they are read off the cluster.

Every source has all of its series all of the time: what happens to a cluster changes values, never names.
"""

from collections.abc import Mapping
from typing import Protocol

from loadtest.emission.metric_wire import Number, Series
from loadtest.emission.sources import Attributes
from loadtest.fleet.request import End

FINISHED_REASONS = ("stop", "length", "abort", "error")
STATUSES = tuple(sorted({end.status for end in End if end.status}))
_REQUESTS, _TOKENS = "{request}", "{token}"


class Cache(Protocol):
    """What is read of a KV cache."""

    queries: int
    hits: int


class Engine(Protocol):
    """What is read of a replica's process."""

    preemptions: int
    prompt_tokens_total: int
    generation_tokens_total: float
    finished: dict[str, int]
    admission_rejections: int

    @property
    def kv(self) -> Cache: ...
    @property
    def running(self) -> int: ...
    @property
    def waiting_count(self) -> int: ...
    @property
    def kv_usage(self) -> float: ...


class Gateway(Protocol):
    """What is read of a gateway process."""

    retries_total: int

    @property
    def in_flight(self) -> int: ...
    @property
    def queued(self) -> int: ...
    @property
    def fds_used(self) -> int: ...
    @property
    def fd_limit(self) -> int: ...
    @property
    def open_breakers(self) -> int: ...
    @property
    def rate_limited_total(self) -> int: ...
    @property
    def refused_total(self) -> int: ...
    @property
    def ends(self) -> Mapping[End, int]: ...


class Dependency(Protocol):
    """What is read of a dependency."""

    calls_total: int
    failures_total: int
    last_latency_ms: float | None


def engine_series(model: str) -> list[Series]:
    """Names and labels of vLLM."""
    labels: Attributes = {"model_name": model, "engine": "0"}
    return [
        Series("vllm:num_requests_running", "", "gauge", labels),
        Series("vllm:num_requests_waiting", "", "gauge", labels),
        Series("vllm:kv_cache_usage_perc", "", "gauge", labels),
        Series("vllm:prefix_cache_queries", "", "counter", labels),
        Series("vllm:prefix_cache_hits", "", "counter", labels),
        Series("vllm:num_preemptions", "", "counter", labels),
        Series("vllm:prompt_tokens", "", "counter", labels),
        Series("vllm:generation_tokens", "", "counter", labels),
        *(
            Series("vllm:request_success", "", "counter", {**labels, "finished_reason": reason})
            for reason in FINISHED_REASONS
        ),
        Series("vllm:admission_rejections", "", "counter", {"model_name": model, "reason": "max_num_queued_reqs"}),
    ]


def read_engine(engine: Engine) -> tuple[Number, ...]:
    """A row of `engine_series`."""
    return (
        engine.running,
        engine.waiting_count,
        engine.kv_usage,
        engine.kv.queries,
        engine.kv.hits,
        engine.preemptions,
        engine.prompt_tokens_total,
        int(engine.generation_tokens_total),
        *(engine.finished[reason] for reason in FINISHED_REASONS),
        engine.admission_rejections,
    )


NODE_SERIES = [
    Series("hw.gpu.utilization", "1", "gauge", {"hw.gpu.task": "inference"}),
    Series("hw.gpu.utilization", "1", "gauge", {"hw.gpu.task": "training"}),
    Series("hw.gpu.memory.usage", "By", "up_down", is_integer=True),
    Series("hw.gpu.memory.limit", "By", "up_down", is_integer=True),
]
RACK_SERIES = [
    Series("hw.network.io", "By", "counter", {"network.io.direction": "transmit"}, is_integer=True),
    Series("hw.network.latency", "s", "gauge"),
]
GATEWAY_SERIES = [
    Series(
        "http.server.active_requests",
        _REQUESTS,
        "up_down",
        {"http.request.method": "POST", "url.scheme": "http"},
        is_integer=True,
    ),
    Series("gateway.queue.length", _REQUESTS, "up_down", is_integer=True),
    Series("process.unix.file_descriptor.count", "{file_descriptor}", "up_down", is_integer=True),
    Series("process.unix.file_descriptor.limit", "{file_descriptor}", "up_down", is_integer=True),
    Series("gateway.upstream.retries", "{retry}", "counter", is_integer=True),
    Series("gateway.requests.rejected", _REQUESTS, "counter", {"reason": "rate_limit"}, is_integer=True),
    Series("gateway.requests.rejected", _REQUESTS, "counter", {"reason": "queue_full"}, is_integer=True),
    *(
        Series("litellm_proxy_total_requests_metric", "", "counter", {"status_code": str(status)})
        for status in STATUSES
    ),
    Series("gateway.breakers.open", "{breaker}", "up_down", is_integer=True),
]


def read_gateway(gateway: Gateway) -> tuple[Number, ...]:
    """A row of GATEWAY_SERIES; a request that never connected is none for it."""
    by_status = dict.fromkeys(STATUSES, 0)
    for end, count in gateway.ends.items():
        if end.status:
            by_status[end.status] += count
    return (
        gateway.in_flight,
        gateway.queued,
        gateway.fds_used,
        gateway.fd_limit,
        gateway.retries_total,
        gateway.rate_limited_total,
        gateway.refused_total,
        *by_status.values(),
        gateway.open_breakers,
    )


def dependency_series(kind: str, system: str) -> list[Series]:
    """Calls of a database or a queue as its clients see them; the duration is that of the last answer."""
    if kind == "queue":
        labels: Attributes = {"messaging.system": system}
        prefix, call = "messaging.client", "{message}"
    else:
        labels = {"db.system.name": system}
        prefix, call = "db.client", "{operation}"
    return [
        Series(f"{prefix}.operation.duration", "s", "gauge", labels),
        Series(f"{prefix}.operation.count", call, "counter", labels, is_integer=True),
        Series(f"{prefix}.operation.failures", call, "counter", labels, is_integer=True),
    ]


def read_dependency(dependency: Dependency) -> tuple[Number, ...] | None:
    """A row of `dependency_series`; none before the first answer, when a duration would be made up."""
    if dependency.last_latency_ms is None:
        return None
    return dependency.last_latency_ms / 1e3, dependency.calls_total, dependency.failures_total
