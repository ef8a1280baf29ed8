"""`/metrics`: the state of every replica in vLLM's names, as a Prometheus page; `engine` is the replica's place."""

from collections.abc import Iterator
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from loadtest.endpoint.engine_room import EngineRoom
from loadtest.endpoint.request_record import HISTOGRAMS, RequestRecord
from loadtest.fleet.replica import Replica

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_LABELS = ("model_name", "engine")
_REASONS = ("stop", "length", "abort", "error")
_BLOCK_TOKENS = 16
_GAUGES = {
    "num_requests_running": "Number of requests in model execution batches.",
    "num_requests_waiting": "Number of requests waiting to be processed.",
    "kv_cache_usage_perc": "KV-cache usage. 1 means 100 percent usage.",
}
_COUNTERS = {
    "prefix_cache_queries": "Prefix cache queries, in terms of number of queried tokens.",
    "prefix_cache_hits": "Prefix cache hits, in terms of number of cached tokens.",
    "num_preemptions": "Cumulative number of preemption from the engine.",
    "prompt_tokens": "Number of prefill tokens processed.",
    "prompt_tokens_cached": "Number of cached prompt tokens (local + external).",
    "generation_tokens": "Number of generation tokens processed.",
}


@dataclass(frozen=True, slots=True, eq=False)
class MetricsPage(Collector):
    """Reads the cluster when it is asked."""

    room: EngineRoom
    record: RequestRecord

    def page(self) -> bytes:
        """The page, in Prometheus' text format."""
        self.room.advance()
        registry = CollectorRegistry(auto_describe=False)
        registry.register(self)
        return generate_latest(registry)

    def describe(self) -> list[Metric]:
        """Nothing: the page is made at each look."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Every family of the page."""
        replicas = list(self._replicas())
        yield from self._gauges(replicas)
        yield from self._counters(replicas)
        yield self._success(replicas)
        yield self._rejections()
        yield from self._histograms(replicas)
        yield self._cache_config(replicas)

    def _replicas(self) -> Iterator[tuple[list[str], Replica]]:
        """(label values, replica)."""
        for model, pool in zip(self.room.plan.models, self.room.simulation.pools, strict=True):
            for replica in pool.replicas:
                yield [model.name, str(replica.place)], replica

    def _gauges(self, replicas: list[tuple[list[str], Replica]]) -> Iterator[Metric]:
        families = {
            name: GaugeMetricFamily(f"vllm:{name}", sentence, labels=_LABELS) for name, sentence in _GAUGES.items()
        }
        for labels, replica in replicas:
            families["num_requests_running"].add_metric(labels, replica.running)
            families["num_requests_waiting"].add_metric(labels, replica.waiting_count)
            usage = replica.kv.used / replica.kv.capacity if replica.kv.capacity else 0.0
            families["kv_cache_usage_perc"].add_metric(labels, usage)
        yield from families.values()
        by_reason = GaugeMetricFamily(
            "vllm:num_requests_waiting_by_reason", "Number of waiting requests by reason.", labels=(*_LABELS, "reason")
        )
        for labels, replica in replicas:
            by_reason.add_metric([*labels, "capacity"], replica.waiting_count)
            by_reason.add_metric([*labels, "deferred"], 0.0)
        yield by_reason

    def _counters(self, replicas: list[tuple[list[str], Replica]]) -> Iterator[Metric]:
        for name, sentence in _COUNTERS.items():
            family = CounterMetricFamily(f"vllm:{name}", sentence, labels=_LABELS)
            for labels, replica in replicas:
                family.add_metric(labels, _counted(name, replica), created=self._created_s(replica))
            yield family

    def _success(self, replicas: list[tuple[list[str], Replica]]) -> Metric:
        family = CounterMetricFamily(
            "vllm:request_success", "Count of successfully processed requests.", labels=(*_LABELS, "finished_reason")
        )
        for labels, replica in replicas:
            for reason in _REASONS:
                created = self._created_s(replica)
                family.add_metric([*labels, reason], replica.finished[reason], created=created)
            family.add_metric([*labels, "repetition"], 0.0, created=self._created_s(replica))
        return family

    def _rejections(self) -> Metric:
        family = CounterMetricFamily(
            "vllm:admission_rejections", "Requests refused because a queue is full.", labels=("model_name", "reason")
        )
        for model, pool in zip(self.room.plan.models, self.room.simulation.pools, strict=True):
            refused = sum(replica.admission_rejections for replica in pool.replicas)
            family.add_metric([model.name, "max_num_queued_reqs"], refused)
            family.add_metric([model.name, "max_num_queued_tokens"], 0.0)
        return family

    def _histograms(self, replicas: list[tuple[list[str], Replica]]) -> Iterator[Metric]:
        for name, (sentence, _) in HISTOGRAMS.items():
            family = HistogramMetricFamily(f"vllm:{name}", sentence, labels=_LABELS)
            for labels, replica in replicas:
                histogram = self.record.of(replica.identity.model, replica.place)[name]
                family.add_metric(labels, list(histogram.buckets()), histogram.total)
            yield family

    def _cache_config(self, replicas: list[tuple[list[str], Replica]]) -> Metric:
        names = (
            *("block_size", "cache_dtype", "enable_prefix_caching", "engine", "gpu_memory_utilization"),
            *("kv_cache_max_concurrency", "kv_cache_size_tokens", "num_gpu_blocks"),
        )
        family = GaugeMetricFamily(
            "vllm:cache_config_info", "Information of the LLMEngine CacheConfig", labels=("model_name", *names)
        )
        for labels, replica in replicas:
            tokens, window = replica.kv.capacity, replica.model.context_window
            blocks, many = tokens // _BLOCK_TOKENS, tokens / window
            values = (_BLOCK_TOKENS, "auto", replica.engine.prefix_cache, labels[1], 0.9, many, tokens, blocks)
            family.add_metric([labels[0], *map(str, values)], 1.0)
        return family

    def _created_s(self, replica: Replica) -> float:
        return self.room.clock.at_ns(replica.started_s) / 1_000_000_000


def _counted(name: str, replica: Replica) -> float:
    if name == "prefix_cache_queries":
        return replica.kv.queries
    if name in {"prefix_cache_hits", "prompt_tokens_cached"}:
        return replica.kv.hits
    if name == "num_preemptions":
        return replica.preemptions
    return replica.prompt_tokens_total if name == "prompt_tokens" else replica.generation_tokens_total
