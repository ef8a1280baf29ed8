"""Where the time of ingestion goes: what each stage costs alone, and which threads of the server used the processor."""

import os
import time
from collections import Counter
from pathlib import Path

from bench.harness.bodies import BodyTemplate
from collector.correlate import correlate
from collector.otlp.decode import check_traces, decode_checked
from collector.otlp.normalise import Normaliser
from collector.otlp.privacy import Privacy
from store.telemetry import columns

_GROUP = 40
_ROUNDS = 5
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
_ENGINE = {"MergeMutate": "engine: merges", "python": "Python: HTTP, decode, normalise, correlate"}


def stage_costs(body: BodyTemplate) -> dict[str, float]:
    """Microseconds of one core a span for each Python stage, measured alone on groups of bodies."""
    normaliser = Normaliser(Privacy(b"bench"))
    names = ("check", "decode", "normalise", "correlate")
    costs = dict.fromkeys(names, 0.0)
    for number in range(_ROUNDS + 1):
        bodies = [body.fresh(time.time_ns()) for _ in range(_GROUP)]
        marks = [time.process_time()]
        for one in bodies:
            check_traces(one)
        marks.append(time.process_time())
        decoded = decode_checked(bodies)
        marks.append(time.process_time())
        spans = normaliser.normalise(decoded, time.time_ns()).spans
        marks.append(time.process_time())
        correlate(spans.select(columns.HOPS.names))
        marks.append(time.process_time())
        for place, name in enumerate(names):
            costs[name] += (marks[place + 1] - marks[place]) * (number > 0)  # the first round warms up
    return {name: seconds / _ROUNDS / _GROUP / body.spans * 1e6 for name, seconds in costs.items()}


def thread_ticks(pid: int) -> Counter[str]:
    """Processor ticks (TICKS_A_SECOND) of a process by kind of thread, from /proc."""
    ticks = Counter[str]()
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            text = (task / "stat").read_text()
        except OSError:
            continue  # the thread ended meanwhile
        name = text[text.index("(") + 1 : text.rindex(")")]
        fields = text[text.rindex(")") + 2 :].split()
        ticks[_ENGINE.get(name, "engine: inserts and queries")] += int(fields[11]) + int(fields[12])
    return ticks
