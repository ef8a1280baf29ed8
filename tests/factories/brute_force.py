"""What request_minutes must say, counted row by row in Python from every stored version of every request."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import select

from store.telemetry.columns import MINUTE_COUNTS, REQUESTS
from store.telemetry.current import current_minutes
from store.telemetry.open import Telemetry
from store.telemetry.tables import REQUEST_MINUTES, requests
from vocabulary.outcomes import defect_names
from vocabulary.pools import MINUTE_NS, Pool
from vocabulary.services import ServiceBook

Row = Mapping[str, Any]
EVERY_KIND_COUNTS = ServiceBook()
SPLIT = ("service", "model", "minute_ns", "service_tier", "load_test", "load_test_step", "offered_rps")


def rolled_up(store: Telemetry) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Current rows of request_minutes by their key."""
    names = tuple(name for name in REQUEST_MINUTES.names if name != "build")
    rows = store.reads.rows(select(current_minutes(store.reader.current_build.number, names)))
    found = {tuple(row[name] for name in SPLIT): _values(row) for row in rows}
    assert len(found) == len(rows), "a key occurs in two current rows"
    return found


def counted(store: Telemetry, services: ServiceBook = EVERY_KIND_COUNTS) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The same, counted from the raw versions that the store holds."""
    return count_rows(store.reads.rows(select(*(requests.c[name] for name in REQUESTS.names))), services)


def count_rows(
    versions: Iterable[Row], services: ServiceBook = EVERY_KIND_COUNTS
) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The same, counted from given versions."""
    newest: dict[tuple[int, bytes], Row] = {}
    for row in versions:
        same = (row["anchor_ns"], row["request_key"])
        if same not in newest or row["version"] > newest[same]["version"]:
            newest[same] = row
    current = [row for row in newest.values() if not row["is_retracted"]]
    found: defaultdict[tuple[Any, ...], Counter[str]] = defaultdict(Counter)
    sketches: defaultdict[tuple[Any, ...], dict[str, Counter[int]]] = defaultdict(
        lambda: {"e2e_sketch": Counter(), "ttft_sketch": Counter()}
    )
    for row in current:
        found[_key(row)].update(_facts(row, services))
        for name, seconds in (("e2e_sketch", row["e2e_s"]), ("ttft_sketch", _ttft(row))):
            if seconds is not None and seconds > 0:
                sketches[_key(row)][name][math.ceil(math.log(seconds) / math.log(1.1))] += 1
    ready, offered = _ready(current), Counter(_key(row)[:3] for row in current if row["load_test"] == "")
    answer: dict[tuple[Any, ...], dict[str, Any]] = {}
    for key, facts in found.items():
        replicas = max(1, len(ready[key[:3]]))
        load = offered[key[:3]] / 60 / replicas if key[4] == "" else key[6]
        counts = {name: facts[name] for name in MINUTE_COUNTS}
        answer[key] = {**counts, "replicas_ready": replicas, "load_rps": load}
        answer[key] |= {name: dict(sketch) for name, sketch in sketches[key].items()}
    return answer


def _minute(at_ns: int) -> int:
    return at_ns // MINUTE_NS * MINUTE_NS


def _key(row: Row) -> tuple[Any, ...]:
    step = -1 if row["load_test_step"] is None else row["load_test_step"]
    split = (row["service_tier"], row["load_test"], step, row["offered_rps"] or 0.0)
    return (row["service"], row["model"], _minute(row["anchor_ns"]), *split)


def _ttft(row: Row) -> float | None:
    return row["server_ttft_s"] if row["server_ttft_s"] is not None else row["client_ttft_s"]  # type: ignore[no-any-return]


def _facts(row: Row, services: ServiceBook) -> Counter[str]:
    kinds = [f"defect_{name}" for name in defect_names(row["defects"])]
    tokens = {name: row[name] or 0 for name in ("input_tokens", "output_tokens")}
    is_defective = bool(row["defects"] & services.counted(Pool(row["service"], row["model"])))
    plain = {"requests": 1, "defective": int(is_defective), f"outcome_{row['outcome']}": 1, **tokens}
    return Counter(plain) + Counter(kinds)


def _ready(current: list[Row]) -> defaultdict[tuple[Any, ...], set[str]]:
    ready: defaultdict[tuple[Any, ...], set[str]] = defaultdict(set)
    for row in current:
        if row["end_ns"] is None or not row["replica"] or row["end_ns"] - row["anchor_ns"] > 15 * MINUTE_NS:
            continue
        for later in range(3):
            minute = _minute(row["end_ns"]) + later * MINUTE_NS
            ready[row["service"], row["model"], minute].add(row["replica"])
    return ready


def _values(row: Row) -> dict[str, Any]:
    plain = {name: value for name, value in row.items() if name not in SPLIT}
    return {**plain, **{name: dict(plain[name]) for name in ("e2e_sketch", "ttft_sketch")}}
