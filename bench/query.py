"""Server time of the screens at 1,000,000 requests that came through the product's own path.

Sends two spans a request over OTLP/HTTP spread over 14 days, lets the product roll them up, then times the overview,
the request list, one request and their API answers: first whole, over HTTP against the running server, as the browser
posts them; then their questions alone, asked of the store. The reference is a count over all raw request rows in the
same store: what a screen would cost without rollups and keys.

    python -m bench.query --requests 1000000
"""

import argparse
import http.client
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from analyzer.questions.overview import overview
from analyzer.questions.requests import one_request, one_trace, request_page
from analyzer.questions.tiers import tier_report
from bench.harness.bodies import BodyTemplate, template
from bench.harness.pages import PageReader, query
from bench.harness.server import ServerProcess, running_server
from dashboard.timeframe import instant_text
from peakline_server.parts import open_stores
from peakline_server.settings import ServeSettings
from store.contract import RequestFilter
from store.telemetry.open import Telemetry
from vocabulary.outcomes import Outcome
from vocabulary.pools import SECOND_NS, Window

_DAYS = 14
_SENDERS = 12
_LIMIT_MS = 300.0
_REPEATS = 15
Questions = dict[str, Callable[[], object]]


def fill(server: ServerProcess, requests: int, body: BodyTemplate, window: Window) -> None:
    """Send bodies whose spans start at instants spread over the window."""
    bodies = requests // (body.spans // 2)
    step = (window.end_ns - window.start_ns) // (bodies + 1)
    instants = iter(range(window.start_ns, window.start_ns + step * bodies, step))
    lock = threading.Lock()

    def send() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        while True:
            with lock:
                instant = next(instants, None)
            if instant is None:
                return
            connection.request("POST", "/v1/traces", body.fresh(instant), {"Content-Type": "application/x-protobuf"})
            answer = connection.getresponse()
            answer.read()
            if answer.status != http.HTTPStatus.OK:
                message = f"status {answer.status}"
                raise RuntimeError(message)

    threads = [threading.Thread(target=send) for _ in range(_SENDERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def wait_for_rollup(server: ServerProcess) -> None:
    """Until no minute waits to be rebuilt."""
    while server.get("/api/v1/health")["pending_minutes"]:
        time.sleep(0.5)


def raw_overview(telemetry: Telemetry, window: Window) -> object:
    """What an overview costs without rollups: the latest version of every raw row, counted by hour and outcome."""
    statement = """
        select intDiv(at, 3600000000000), outcome, count(), countIf(defects != 0)
        from (
            select argMax(anchor_ns, version) at, argMax(outcome, version) outcome, argMax(defects, version) defects
            from requests
            where anchor_ns >= {start:Int64} and anchor_ns < {end:Int64}
            group by request_key
        )
        group by 1, 2
    """
    with telemetry.reads.client() as client:
        return client.query(statement, parameters={"start": window.start_ns, "end": window.end_ns}).result_rows


def timed(question: Callable[[], object]) -> tuple[float, float]:
    """Median and maximum in milliseconds; the first call is not counted."""
    question()
    times = []
    for _ in range(_REPEATS):
        start = time.perf_counter()
        question()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times), max(times)


def questions(telemetry: Telemetry, window: Window) -> Questions:
    """What the pages ask the store, on data that is there."""
    reader = telemetry.reader
    pool = reader.pools(window)[0].pool
    last_day = Window(window.end_ns - 86_400 * SECOND_NS, window.end_ns)
    item = request_page(reader, window, RequestFilter(), 50, None).items[-1]
    rare = RequestFilter(outcome=Outcome.FAILED)
    return {
        "overview, 14 days": lambda: overview(reader, pool, window),
        "overview, 1 day": lambda: overview(reader, pool, last_day),
        "tier report, 14 days": lambda: tier_report(reader, pool, window),
        "list page, newest 50": lambda: request_page(reader, window, RequestFilter(), 50, None),
        "list page, one tenant": lambda: request_page(reader, window, RequestFilter(tenant="tenant-7"), 50, None),
        "list page, nothing matches": lambda: request_page(reader, window, rare, 50, None),
        "one request": lambda: one_request(reader, item.request_key),
        "one trace": lambda: one_trace(reader, item.trace_id),
    }


def screens(server: ServerProcess, pages: PageReader, window: Window) -> Questions:
    """Whole pages and API answers over HTTP, each as a browser or a program asks for it."""
    asked = query(**{"from": instant_text(window.start_ns), "to": instant_text(window.end_ns)})
    pool = server.get(f"/api/v1/pools?{asked}")["items"][0]
    named = query(service=pool["service"], model=pool["model"])
    item = server.get(f"/api/v1/requests?{asked}&limit=50")["items"][-1]
    paths = {
        "API requests, newest 100": f"/api/v1/requests?{asked}",
        "API one request": f"/api/v1/requests/{item['request_key']}",
        "API one trace": f"/api/v1/traces/{item['trace_id']}",
        "API tier report, 14 days": f"/api/v1/reports/tiers?{asked}&{named}",
    }
    addresses = {
        "page overview, 14 days": "/?range=14d",
        "page overview, 24 hours": "/?range=24h",
        "page request list, 14 days": "/requests?range=14d",
        "page request list, one tenant": "/requests?range=14d&tenant=tenant-7",
        "page request list, no match": "/requests?range=14d&outcome=failed",
        "page one request": f"/requests/{item['request_key']}",
    }
    return {
        **{name: partial(pages.page, address) for name, address in addresses.items()},
        **{name: partial(pages.get, path) for name, path in paths.items()},
    }


def main() -> None:
    """Fill, time, print ratios; exit code 1 when a screen takes 300 ms or more."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--short", action="store_const", const=50_000, dest="requests", help="50,000 requests only")
    options = parser.parse_args()
    now_ns = time.time_ns()
    window = Window(now_ns - _DAYS * 86_400 * SECOND_NS, now_ns)
    with tempfile.TemporaryDirectory(prefix="peakline-bench-") as folder:
        with running_server(Path(folder)) as server:
            start = time.perf_counter()
            fill(server, options.requests, template(), window)
            print(
                f"{options.requests:,} requests sent and acknowledged in {time.perf_counter() - start:.0f} s",
                flush=True,
            )
            wait_for_rollup(server)
            print(f"rolled up {time.perf_counter() - start:.0f} s after the first body", flush=True)
            over_http = served(server, window)
        stores = open_stores(ServeSettings(data=server.data))
        try:
            worst = max(over_http, asked_of_the_store(stores.telemetry, window))
        finally:
            stores.close()
    print(f"slowest median {worst:.0f} ms (limit {_LIMIT_MS:.0f} ms)")
    raise SystemExit(worst >= _LIMIT_MS)


def served(server: ServerProcess, window: Window) -> float:
    """Time pages and API answers of the running server; returns the slowest median in milliseconds."""
    pages = PageReader(server.port)
    try:
        print("over HTTP, from the question to the last byte of the answer")
        return report(screens(server, pages, window))
    finally:
        pages.close()


def asked_of_the_store(telemetry: Telemetry, window: Window) -> float:
    """Time the questions behind the pages without the server; returns the slowest median in milliseconds."""
    reference, _ = timed(lambda: raw_overview(telemetry, window))
    print(f"the same questions asked of the store; reference, an overview of raw rows: {reference:.1f} ms")
    return report(questions(telemetry, window), reference)


def report(asked: Questions, reference_ms: float | None = None) -> float:
    """Print a row per question, with its ratio where there is a reference; returns the slowest median."""
    worst = 0.0
    for name, question in asked.items():
        median, most = timed(question)
        worst = max(worst, median)
        ratio = f"   ratio {median / reference_ms:6.2f}" if reference_ms else ""
        print(f"  {name:32s} {median:8.1f} ms   max {most:8.1f} ms{ratio}", flush=True)
    return worst


if __name__ == "__main__":
    main()
