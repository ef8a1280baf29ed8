"""A small fleet's past, written through the product's writer: two pools, a bad evening, a load test, a few traces."""

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from store.control.open import Control
from store.telemetry.open import Telemetry
from tests.dashboard.traces import trace_of
from tests.factories.stores import ledger, new_id, requests, spans
from vocabulary.outcomes import DefectKind, Outcome
from vocabulary.pools import MINUTE_NS, SECOND_NS, Pool

NOW_NS = 1_796_043_600_000_000_000 // MINUTE_NS * MINUTE_NS
"""2026-11-30 13:00 UTC: what the clock of the dashboard says."""

POOL = Pool("chat-api", "llama-4-70b-fp8")
SMALL_POOL = Pool("embed", "bge-m3")
LOAD_TEST = "sweep-2026-11"
LINE_RPS = 0.16


@dataclass(frozen=True)
class FixedAlert:
    """An alert as the alerts' view gives it."""

    rule_id: str = "load-near-line"
    summary: str = "Load per replica is near the line we must not cross"
    service: str = POOL.service
    model: str = POOL.model
    state: str = "firing"
    since_ns: int = NOW_NS - 754 * SECOND_NS
    value: float | None = 0.171
    line: float = LINE_RPS
    recovery_line: float = 0.13
    line_kind: str = "fixed"
    severity: str = "warning"
    metric: str = "load"
    no_data: bool = False


@dataclass(frozen=True)
class FixedTransition:
    """A transition as the alerts' view gives it."""

    from_state: str
    to_state: str
    at_ns: int
    value: float | None
    reason: str
    rule_id: str = "load-near-line"
    service: str = POOL.service
    model: str = POOL.model
    line: float = LINE_RPS
    recovery_line: float = 0.13
    line_kind: str = "fixed"


@dataclass(frozen=True)
class FixedLine:
    """A warning line as the alerts' view gives it."""

    rule_id: str = "load-near-line"
    metric: str = "load"
    at: float = LINE_RPS
    recovery: float = 0.13
    line_kind: str = "fixed"


@dataclass
class FixedAlerts:
    """What the alerts say, without an evaluator."""

    alerts: list[FixedAlert] = field(
        default_factory=lambda: [
            FixedAlert(),
            FixedAlert(
                service=SMALL_POOL.service,
                model=SMALL_POOL.model,
                state="inactive",
                since_ns=0,
                value=None,
                no_data=True,
            ),
        ]
    )
    changes: list[FixedTransition] = field(
        default_factory=lambda: [
            FixedTransition(
                "pending", "firing", NOW_NS - 754 * SECOND_NS, 0.168, "0.168: at or above the line for 30 s"
            ),
            FixedTransition(
                "inactive", "pending", NOW_NS - 784 * SECOND_NS, 0.163, "0.163 is at or above the line 0.16"
            ),
        ]
    )

    lines: list[FixedLine] = field(default_factory=lambda: [FixedLine()])

    def states(self) -> list[FixedAlert]:
        return self.alerts

    def transitions(self, limit: int) -> list[FixedTransition]:
        return self.changes[:limit]

    def rule_lines(self, pool: Pool) -> list[FixedLine]:
        return self.lines if pool == POOL else []


def fill(telemetry: Telemetry, control: Control, minutes: int = 240, seed: int = 7) -> None:
    """Rows, spans and ledger of the last `minutes`, and a rollup that is up to date."""
    chance = random.Random(seed)
    production = list(_production(chance, minutes))
    rows = requests(*production, *_load_test(chance))
    telemetry.writer.append_spans(spans(*(span for row in production[-60:] for span in trace_of(row))))
    telemetry.writer.append_requests(rows)
    telemetry.writer.append_ledger(
        ledger(
            {"at_ns": NOW_NS - 30 * MINUTE_NS, "commit_seq": 1, "records": 3 * rows.num_rows, "bodies": 40},
            {"at_ns": NOW_NS - 30 * MINUTE_NS, "reason": "duplicate", "records": 12, "bodies": 1},
            {"at_ns": NOW_NS - 30 * MINUTE_NS, "reason": "invalid_trace_id", "records": 3, "bodies": 1},
        )
    )
    rollup = telemetry.rollup(control)
    rollup.mark(set(_cells(rows)), version=1)
    rollup.run()


def _cells(rows: pa.Table) -> Iterator[tuple[str, str, int]]:
    for service, model, at_ns in zip(
        *(rows[name].to_pylist() for name in ("service", "model", "anchor_ns")), strict=True
    ):
        yield service, model, at_ns // MINUTE_NS * MINUTE_NS


def _production(chance: random.Random, minutes: int) -> Iterator[dict[str, Any]]:
    """A day's wave; where it is high, contention makes each request likelier to fail."""
    for minute in range(minutes):
        share = minute / minutes
        wave = 0.5 + 0.5 * math.sin((share - 0.6) * 2 * math.pi) + 0.55 * share**3
        for _ in range(int(8 + 26 * wave + chance.random() * 4)):
            tier = chance.choices(("core", "general", "batch"), (2, 6, 2))[0]
            risk = 0.006 + 0.05 * wave**3 + (0.02 if tier == "batch" else 0)
            at_ns = NOW_NS - (minutes - minute) * MINUTE_NS + int(chance.random() * 59 * SECOND_NS)
            yield _request(chance, POOL, at_ns, tier, is_bad=chance.random() < risk)
        if minute % 3 == 0:
            at_ns = NOW_NS - (minutes - minute) * MINUTE_NS + int(chance.random() * 59 * SECOND_NS)
            yield _request(chance, SMALL_POOL, at_ns, "general", is_bad=False)


_BAD = (
    (Outcome.FAILED, DefectKind.ERROR, 500),
    (Outcome.REJECTED, DefectKind.REJECTED, 429),
    (Outcome.TIMED_OUT, DefectKind.TIMEOUT, 504),
    (Outcome.COMPLETED, DefectKind.TRUNCATED, 200),
    (Outcome.COMPLETED, DefectKind.EMPTY, 200),
)


def _request(chance: random.Random, pool: Pool, at_ns: int, tier: str, *, is_bad: bool) -> dict[str, Any]:
    outcome, defect, status = chance.choice(_BAD) if is_bad else (Outcome.COMPLETED, 0, 200)
    return {
        **_times(chance, at_ns),
        "request_key": new_id(16),
        "trace_id": new_id(16),
        "root_span_id": new_id(8),
        "version": 1,
        "service": pool.service,
        "model": pool.model,
        "model_requested": pool.model,
        "service_tier": tier,
        "model_id": f"meta/{pool.model}",
        "model_revision": "9f2c1e",
        "quantization": "fp8",
        "framework": "vllm",
        "framework_version": "0.11.2",
        "replica": f"gpu-{chance.randrange(3):02d}",
        "operation": "chat",
        "tenant": f"tenant-{chance.randrange(5)}",
        "temperature": 0.2,
        "top_p": 0.9,
        "max_tokens": 1024,
        "outcome": str(outcome),
        "defects": int(defect),
        "http_status": status,
        "finish_reason": "stop",
        "truncation_cause": "context" if defect == DefectKind.TRUNCATED else "",
        "stream": True,
        "hop_count": 2,
        "input_tokens": chance.randrange(200, 6000),
        "hop_roles": "gateway,engine",
        "emitters": "litellm,vllm",
    }


def _times(chance: random.Random, at_ns: int) -> dict[str, Any]:
    """End and phases of a request with a log-normal duration."""
    e2e_s = round(chance.lognormvariate(0.6, 0.5), 4)
    tokens = chance.randrange(40, 700)
    queue_s, ttft_s = round(e2e_s * 0.08, 4), round(e2e_s * 0.22, 4)
    return {
        "anchor_ns": at_ns,
        "end_ns": at_ns + int(e2e_s * 1e9),
        "e2e_s": e2e_s,
        "output_tokens": tokens,
        "queue_s": queue_s,
        "prefill_s": round(ttft_s - queue_s, 4),
        "server_ttft_s": ttft_s,
        "decode_s": round((e2e_s - ttft_s) * 0.85, 4),
        "tpot_s": round((e2e_s - ttft_s) / (tokens - 1), 6),
    }


def _load_test(chance: random.Random) -> Iterator[dict[str, Any]]:
    for step, offered in enumerate((0.5, 1.0, 2.0, 4.0, 8.0, 12.0)):
        for place in range(120):
            at_ns = NOW_NS - 90 * MINUTE_NS + step * 2 * MINUTE_NS + place * SECOND_NS
            row = _request(chance, POOL, at_ns, "general", is_bad=chance.random() < 0.004 * 2**step)
            yield {**row, "load_test": LOAD_TEST, "load_test_step": step, "offered_rps": offered}
