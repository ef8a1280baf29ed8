"""Plays shipped scenarios and writes what their truth says into their pages: `python -m tools.scenario_runs [NAME …]`.

A part that it renews stands between `<!-- run -->` and `<!-- end run -->`. A run takes up to two minutes, so this is no
part of `make docs`: call it after a change of the physics or of a scenario.
"""

import re
import sys
from collections import Counter
from pathlib import Path
from statistics import median
from typing import Any

from loadtest.scenarios.catalogue import fleet_plan, load, names
from loadtest.scenarios.page import day_and_hour, table
from loadtest.scenarios.play import Play
from loadtest.scenarios.schema import Scenario
from loadtest.scenarios.truth import TruthRecorder

PAGES = Path(__file__).resolve().parent.parent / "docs" / "scenarios"
PART = re.compile(r"(?P<start><!-- run -->\n).*?(?P<end><!-- end run -->)", re.DOTALL)
ORIGIN_NS = 1_763_942_400_000_000_000  # Monday, 2025-11-24
SEED = 1
_DAY_S, _HOUR_NS, _HOUR_S = 86_400, 3_600_000_000_000, 3_600
_HOUR_MIN = 20  # requests below which an hour's rate says nothing


def played(scenario: Scenario) -> TruthRecorder:
    """The truth of a whole history."""
    plan = fleet_plan(scenario, seed=SEED, origin_ns=ORIGIN_NS)
    truth = TruthRecorder(plan, scenario.timeline, scenario.name)
    play = Play(scenario, plan, truth)
    play.skip(scenario.days * _DAY_S)
    return truth


def told(scenario: Scenario, truth: TruthRecorder) -> str:
    """The figures of a run as Markdown."""
    document, requests = truth.document(), truth.requests()
    book, totals = document["conservation"], document["totals"]
    assert book["holds"]
    kinds = Counter(kind for kind in requests["defect"].cast("string").to_pylist() if kind)
    of_kinds = ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common())
    worst_at, worst, usual = _hours(requests["arrival_ns"].to_pylist(), requests["is_defect"].to_pylist())
    rows = [_row(entry, one.at_s) for entry, one in zip(document["timeline"], scenario.timeline, strict=True)]
    head = ("happening", "pods", "requests that met it", "defects among them")
    lines = (
        f"A run with seed {SEED} and `--origin 2025-11-24`, a Monday: {book['arrived']:,} requests arrived, ",
        f"{book['ended']:,} ended, ",
        f"{book['in_flight']:,} were in flight at the end. {totals['defects']:,} were defects ",
        f"({totals['defects'] / book['ended']:.2%}), {totals['base_defects']:,} of them of the base: {of_kinds}.\n\n",
        f"The median hour had {usual:.2%} defects, the worst one ({day_and_hour(worst_at)}) {worst:.1%}.\n",
        f"\n{table(rows, head)}" if rows else "",
    )
    return "".join(lines)


def _hours(arrivals: list[int], defects: list[bool]) -> tuple[float, float, float]:
    """Second at which the worst hour begins, its defect rate, and the median hour's."""
    asked: Counter[int] = Counter()
    bad: Counter[int] = Counter()
    for arrival_ns, is_defect in zip(arrivals, defects, strict=True):
        hour = (arrival_ns - ORIGIN_NS) // _HOUR_NS
        asked[hour] += 1
        bad[hour] += is_defect
    rates = {hour: bad[hour] / count for hour, count in asked.items() if count >= _HOUR_MIN}
    worst = max(rates, key=lambda hour: rates[hour])
    return worst * _HOUR_S, rates[worst], median(rates.values())


def _row(entry: dict[str, Any], at_s: float) -> tuple[str, ...]:
    share = f" ({entry['defects'] / entry['requests']:.1%})" if entry["requests"] else ""
    what = f"{entry['kind'].replace('_', ' ')}, from {day_and_hour(at_s)}"
    return what, str(len(entry["pods"]) or "–"), f"{entry['requests']:,}", f"{entry['defects']:,}{share}"


def main(chosen: list[str]) -> int:
    for name in chosen or names():
        page, scenario = PAGES / f"{name}.md", load(name)
        text = page.read_text(encoding="utf-8")
        if not PART.search(text):
            print(f"{page.name} has no part between <!-- run --> and <!-- end run -->")
            return 1
        figures = told(scenario, played(scenario))
        page.write_text(PART.sub(lambda part, new=figures: part["start"] + new + part["end"], text), encoding="utf-8")  # type: ignore[misc]
        print(f"{name}: written", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
