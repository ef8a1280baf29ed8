"""What became of every request, as Arrow columns: the truth that telemetry may have lost, shifted or never seen."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from loadtest.emission.identifiers import Identifiers
from loadtest.emission.sampling import is_lost, is_sampled, rejection_threshold
from loadtest.emission.sources import replica_name
from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.request import End, Identity, Request

NO_DEFECT = frozenset({End.COMPLETED, End.CONTEXT_TOO_LONG, End.CLIENT_GONE})
"""Ends that are no defect by themselves: an answer, a client's own mistake, a client that left of its free will."""

_KINDS = {
    End.RATE_LIMITED: "rejected",
    End.QUEUE_FULL: "rejected",
    End.OVERLOADED: "rejected",
    End.NO_REPLICA: "rejected",
    End.TIMED_OUT: "timeout",
}
_MINUTE_NS = 60_000_000_000
_TEXT = pa.dictionary(pa.int32(), pa.string())

SCHEMA = pa.schema(
    [
        ("number", pa.uint64()),
        ("first_number", pa.uint64()),
        ("client_attempt", pa.int32()),
        ("trace_id", pa.string()),
        ("session", pa.int64()),
        ("arrival_ns", pa.int64()),
        ("end_ns", pa.int64()),
        ("first_token_ns", pa.int64()),
        ("model", _TEXT),
        ("service_tier", _TEXT),
        ("tenant", _TEXT),
        ("gateway", pa.int32()),
        ("pod", _TEXT),
        ("revision", _TEXT),
        ("end", _TEXT),
        ("status", pa.int32()),
        ("defect", _TEXT),
        ("is_defect", pa.bool_()),
        ("is_base", pa.bool_()),
        ("is_cut", pa.bool_()),
        ("prompt_tokens", pa.int64()),
        ("cached_tokens", pa.int64()),
        ("output_tokens", pa.int64()),
        ("attempts", pa.int32()),
        ("preemptions", pa.int32()),
        ("exposure", pa.uint64()),
        ("emitted", _TEXT),
    ]
)
"""Columns of requests.parquet; docs/fleet.md says what each means."""

_FINISHED_BY_ENGINE = frozenset({End.COMPLETED, End.ENGINE_ERROR})

Loss = tuple[float, float, float]
"""Engine loss, gateway loss and sampling share at a request's end."""


def defect_of(request: Request) -> str:
    """The defect kind by the product's own rules; '' for none. A refused connection is `unseen`."""
    if request.end is End.NEVER_CONNECTED:
        return "unseen"
    if request.end not in NO_DEFECT:
        return _KINDS.get(request.end, "error")
    if request.end is not End.COMPLETED:
        return ""
    if int(request.tokens) == 0:
        return "empty"
    is_at_the_window = request.is_cut and not 0 < request.max_tokens <= request.limit_tokens
    return "truncated" if is_at_the_window else ""


class RequestTable:
    """Turns requests that ended into Arrow tables."""

    def __init__(self, plan: FleetPlan) -> None:
        self.plan = plan
        self._identifiers = Identifiers(plan)
        self._pods: dict[Identity, str] = {}
        self._ends = {end: end.value for end in End}

    def pod(self, identity: Identity | None) -> str:
        """Pod name, '' for a request that no replica saw."""
        if identity is None:
            return ""
        known = self._pods.get(identity)
        if known is None:
            known = self._pods[identity] = replica_name(self.plan, identity)
        return known

    def table(self, requests: Sequence[Request], losses: Sequence[Loss]) -> pa.Table:
        """(n,) rows in the order given."""
        ids = [self._identifiers.of_request(request) for request in requests]
        defects = [defect_of(request) for request in requests]
        columns = {
            "trace_id": [one.trace_id.hex() for one in ids],
            "defect": defects,
            "is_defect": [defect != "" for defect in defects],
            "is_base": [request.is_base and defect != "" for request, defect in zip(requests, defects, strict=True)],
            "emitted": [
                _emitted(request, loss, one.trace_id, one.gateway_span_id, one.engine_span_id)
                for request, loss, one in zip(requests, losses, ids, strict=True)
            ],
            **self._of_the_draw(requests),
            **self._of_the_course(requests),
        }
        return pa.table([pa.array(columns[field.name], field.type) for field in SCHEMA], schema=SCHEMA)

    def _of_the_draw(self, requests: Sequence[Request]) -> dict[str, list[object]]:
        models = [model.name for model in self.plan.models]
        tenants = [tenant.name for tenant in self.plan.tenants]
        tiers = [tenant.service_tier for tenant in self.plan.tenants]
        return {
            "number": [request.number for request in requests],
            "first_number": [r.first_number if r.first_number >= 0 else r.number for r in requests],
            "client_attempt": [request.client_attempt for request in requests],
            "session": [request.session for request in requests],
            "model": [models[request.model] for request in requests],
            "tenant": [tenants[request.tenant] for request in requests],
            "service_tier": [tiers[request.tenant] for request in requests],
            "prompt_tokens": [request.prompt_tokens for request in requests],
        }

    def _of_the_course(self, requests: Sequence[Request]) -> dict[str, list[object]]:
        at = self._instant
        return {
            "arrival_ns": [at(request.arrival_s) for request in requests],
            "end_ns": [at(request.ended_s) for request in requests],
            "first_token_ns": [at(r.first_token_s) if r.first_token_s >= 0 else None for r in requests],
            "gateway": [request.gateway for request in requests],
            "pod": [self.pod(request.identity) for request in requests],
            "revision": [r.identity.revision if r.identity else "" for r in requests],
            "end": [self._ends[request.end] for request in requests],
            "status": [request.end.status for request in requests],
            "is_cut": [request.is_cut for request in requests],
            "cached_tokens": [request.cached_tokens for request in requests],
            "output_tokens": [int(request.tokens) for request in requests],
            "attempts": [len(request.earlier) + (request.identity is not None) for request in requests],
            "preemptions": [request.preemptions for request in requests],
            "exposure": [request.exposure for request in requests],
        }

    def _instant(self, at_s: float) -> int:
        return self.plan.origin_ns + round(at_s * 1_000_000_000)


def _emitted(request: Request, loss: Loss, trace_id: bytes, gateway_id: bytes, engine_id: bytes) -> str:
    """Which of the request's last two hops left telemetry: both, gateway, engine or none."""
    if request.end is End.NEVER_CONNECTED:
        return "none"
    has_engine = request.end in _FINISHED_BY_ENGINE
    engine_loss, gateway_loss, sample_share = loss
    if sample_share < 1.0 and not is_sampled(trace_id, rejection_threshold(sample_share)):
        return "none"
    gateway = not (gateway_loss and is_lost(gateway_id, gateway_loss))
    engine = has_engine and not (engine_loss and is_lost(engine_id, engine_loss))
    return _TOLD[gateway, engine]


_TOLD = {(True, True): "both", (True, False): "gateway", (False, True): "engine", (False, False): "none"}


def minutes(requests: pa.Table) -> pa.Table:
    """Counts per minute of arrival, model, service tier and pod: arrivals, defects, base defects, and each end."""
    if not requests.num_rows:
        return pa.table({"minute_ns": pa.array([], pa.int64())})
    arrival = requests["arrival_ns"]
    keys = {
        "minute_ns": pc.multiply(pc.divide(arrival, _MINUTE_NS), _MINUTE_NS),
        **{name: requests[name].cast(pa.string()) for name in ("model", "service_tier", "pod")},
    }
    end = requests["end"].cast(pa.string())
    counts = {
        "arrivals": pa.array([1] * requests.num_rows, pa.int64()),
        "defects": requests["is_defect"].cast(pa.int64()),
        "base_defects": requests["is_base"].cast(pa.int64()),
        **{one.value: pc.equal(end, one.value).cast(pa.int64()) for one in End},
    }
    grouped = pa.table({**keys, **counts}).group_by(list(keys)).aggregate([(name, "sum") for name in counts])
    named = grouped.rename_columns([name.removesuffix("_sum") for name in grouped.column_names])
    return named.sort_by([(name, "ascending") for name in keys])
