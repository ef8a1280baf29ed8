"""Spans per second from socket to store over HTTP, as a ratio to plain protobuf parsing of the same bytes on one core.

Unique ids, at least 15 attributes and 600 bytes a span, 200 only after the commit; the sender runs on the same
machine. Ends with the check that what was acknowledged is what the ledger says is stored.

    python -m bench.ingest --seconds 300
"""

import argparse
import http.client
import itertools
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from bench.harness.bodies import BodyTemplate, template
from bench.harness.server import ServerProcess, running_server
from bench.harness.stages import TICKS_A_SECOND, stage_costs, thread_ticks

_AIM = 0.08
_REFERENCE_S = 3.0
_REFERENCE_BODIES = 200


@dataclass
class Tally:
    """What the senders counted."""

    acknowledged: int = 0
    asked_back: int = 0
    failed: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


def parsing_rate(body: BodyTemplate, seconds: float = _REFERENCE_S) -> float:
    """Spans per second of the official protobuf runtime on one core; the reference.

    Takes turns over more bodies than a processor cache holds, as a server would meet them.
    """
    bodies = itertools.cycle([body.fresh(time.time_ns()) for _ in range(_REFERENCE_BODIES)])
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        ExportTraceServiceRequest.FromString(next(bodies))
        count += body.spans
    return count / (time.perf_counter() - start)


def send_until(deadline: float, port: int, body: BodyTemplate, tally: Tally) -> None:
    """Post fresh bodies one after the other; a refused body is sent again after a moment."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Content-Type": "application/x-protobuf"}
    while time.perf_counter() < deadline:
        connection.request("POST", "/v1/traces", body.fresh(time.time_ns()), headers)
        answer = connection.getresponse()
        content = answer.read()
        with tally.lock:
            if answer.status == http.HTTPStatus.OK and not content:
                tally.acknowledged += body.spans
            elif answer.status == http.HTTPStatus.SERVICE_UNAVAILABLE:
                tally.asked_back += 1
            else:
                tally.failed += 1
    connection.close()


def measure(server: ServerProcess, seconds: float, senders: int, body: BodyTemplate) -> tuple[Tally, float]:
    """Acknowledged spans and elapsed seconds; prints the rate of each tenth."""
    tally, start = Tally(), time.perf_counter()
    threads = [
        threading.Thread(target=send_until, args=(start + seconds, server.port, body, tally)) for _ in range(senders)
    ]
    for thread in threads:
        thread.start()
    before = 0
    for tenth in range(10):
        time.sleep(max(0.0, start + seconds * (tenth + 1) / 10 - time.perf_counter()))
        rate = (tally.acknowledged - before) / (seconds / 10)
        before = tally.acknowledged
        print(f"  {tenth + 1:2d}/10  {rate:10,.0f} spans/s   server RSS {_rss(server) / 2**20:7,.0f} MiB", flush=True)
    for thread in threads:
        thread.join()
    return tally, time.perf_counter() - start


def _rss(server: ServerProcess) -> int:
    return int(psutil.Process(server.process.pid).memory_info().rss) if server.process else 0


@dataclass(frozen=True)
class Result:
    """What one run found; `thread_ticks` are processor ticks of the server by kind of thread, its start left out."""

    tally: Tally
    elapsed_s: float
    stored: int
    thread_ticks: Counter[str]
    disk_bytes: int


def run(seconds: float, senders: int, body: BodyTemplate) -> Result:
    """A fresh server, loaded, asked for its ledger, stopped, and its folder measured."""
    with tempfile.TemporaryDirectory(prefix="peakline-bench-") as folder:
        with running_server(Path(folder)) as server:
            assert server.process is not None
            before = thread_ticks(server.process.pid)
            tally, elapsed = measure(server, seconds, senders, body)
            threads = thread_ticks(server.process.pid) - before
            stored = server.get("/api/v1/ledger?from=now-1d")["ingest"]["traces"]["stored"]
        disk = sum(path.stat().st_size for path in server.data.rglob("*") if path.is_file())
    return Result(tally, elapsed, stored, threads, disk)


def print_costs(result: Result, body: BodyTemplate) -> None:
    """Where the time goes, in microseconds of one core a span."""
    spans = max(result.tally.acknowledged, 1)
    print("where the time goes, microseconds of one core a span:")
    micros = 1e6 / TICKS_A_SECOND / spans
    for name, ticks in result.thread_ticks.most_common():
        print(f"  {name:46s} {ticks * micros:6.2f}")
    for name, cost in stage_costs(body).items():
        print(f"    of Python, measured alone: {name:18s} {cost:6.2f}")
    print(f"  {'all':46s} {result.thread_ticks.total() * micros:6.2f}")


def main() -> None:
    """Run and print the ratio; exit code 1 when stored differs from acknowledged."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--short", action="store_const", const=20.0, dest="seconds", help="20 seconds only")
    parser.add_argument("--senders", type=int, default=64)
    parser.add_argument("--traces", type=int, default=250, help="traces of two spans per body")
    options = parser.parse_args()
    body = template(options.traces)
    print(f"{body.spans} spans and {len(body.body):,} bytes a body, {len(body.body) / body.spans:.0f} bytes a span")
    before = parsing_rate(body)
    result = run(options.seconds, options.senders, body)
    after = parsing_rate(body)
    acknowledged = result.tally.acknowledged
    rate, reference = acknowledged / result.elapsed_s, (before + after) / 2
    print(f"acknowledged {acknowledged:,}  stored {result.stored:,}")
    print(f"asked back {result.tally.asked_back}  failed {result.tally.failed}")
    print(f"reference, protobuf parsing on one core: {before:,.0f} spans/s before, {after:,.0f} after")
    print(f"end to end: {rate:,.0f} spans/s over {result.elapsed_s:.0f} s")
    print(f"on disk: {result.disk_bytes / max(acknowledged, 1):.0f} bytes a span")
    print_costs(result, body)
    print(f"ratio {rate / reference:.3f}  (aim {_AIM})")
    if result.stored != acknowledged or result.tally.failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
