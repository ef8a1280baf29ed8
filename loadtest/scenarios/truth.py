"""The truth of a run: what became of every request and what every happening touched. The product never reads it."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.request import Identity, Request
from loadtest.fleet.simulation import Simulation
from loadtest.fleet.timeline import Timeline
from loadtest.scenarios.sizes import HAPPENINGS_MAX
from loadtest.scenarios.truth_requests import SCHEMA, Loss, RequestTable, minutes
from loadtest.scenarios.truth_touched import instant, touched
from vocabulary.errors import PeaklineError

FORMAT = 1
"""Version of the truth folder's files."""

_SCRATCH = "truth.json.new"
_ROWS_PER_TABLE = 20_000


class TruthError(PeaklineError):
    """A folder holds no truth, or one of another format."""


class TruthRecorder:
    """Gets every request that ended, beside the outbox. `attach` joins it to its simulation before that runs.

    scenario  its name, written down
    """

    def __init__(self, plan: FleetPlan, timeline: Timeline, scenario: str = "") -> None:
        assert len(timeline) <= HAPPENINGS_MAX
        self.plan = plan
        self.timeline = timeline
        self.scenario = scenario
        self._simulation: Simulation | None = None
        self._rows = RequestTable(plan)
        self._tables: list[pa.Table] = []
        self._requests: list[Request] = []
        self._losses: list[Loss] = []
        self._seen: dict[Identity, int] = {}

    def attach(self, simulation: Simulation) -> None:
        """From now on its state is the state of telemetry, its counters are the totals."""
        self._simulation = simulation

    def planted(self, timeline: Timeline) -> None:
        """Further happenings, of live traffic; their bits follow those of the timeline."""
        self.timeline = (*self.timeline, *timeline)
        assert len(self.timeline) <= HAPPENINGS_MAX

    def add(self, request: Request) -> None:
        """Keep a request that ended."""
        assert self._simulation is not None
        telemetry = self._simulation.telemetry
        self._losses.append((telemetry.engine_loss, telemetry.gateway_loss, telemetry.sample_share))
        self._requests.append(request)
        if request.exposure and request.identity is not None:
            self._seen[request.identity] = self._seen.get(request.identity, 0) | request.exposure
        if len(self._requests) >= _ROWS_PER_TABLE:
            self._pack()

    def requests(self) -> pa.Table:
        """All requests that ended so far, in the order of their ends."""
        self._pack()
        return pa.concat_tables(self._tables) if self._tables else SCHEMA.empty_table()

    def document(self) -> dict[str, Any]:
        """What truth.json says."""
        assert self._simulation is not None
        requests, simulation = self.requests(), self._simulation
        ends = Counter(requests["end"].cast(pa.string()).to_pylist())
        return {
            "format": FORMAT,
            "scenario": self.scenario,
            "seed": self.plan.seed,
            "origin": instant(self.plan, 0.0),
            "until": instant(self.plan, simulation.now_s),
            "timeline": touched(self.plan, self.timeline, simulation, self._seen, self._rows.pod, requests),
            "notes": [
                {"at": instant(self.plan, note.at_s), "what": note.what, "subject": note.subject}
                for note in simulation.notes
            ],
            "totals": {
                "ends": dict(sorted(ends.items())),
                "defects": sum(requests["is_defect"].to_pylist()),
                "base_defects": sum(requests["is_base"].to_pylist()),
                "emitted": dict(sorted(Counter(requests["emitted"].cast(pa.string()).to_pylist()).items())),
            },
            "conservation": _conservation(simulation, requests.num_rows),
        }

    def write(self, folder: Path) -> None:
        """Write requests.parquet, minutes.parquet and, last, truth.json; files of an earlier run are replaced.

        raises  TruthError when the folder cannot be written
        """
        prepare(folder)
        requests = self.requests()
        text = json.dumps(self.document(), indent=1, ensure_ascii=False)
        try:
            pq.write_table(requests, folder / "requests.parquet")
            pq.write_table(minutes(requests), folder / "minutes.parquet")
            scratch = folder / _SCRATCH
            scratch.write_text(text + "\n", encoding="utf-8")
            scratch.replace(folder / "truth.json")
        except OSError as fault:
            raise TruthError(f"the truth cannot be written to {folder}: {_why(fault)}") from fault

    def _pack(self) -> None:
        if self._requests:
            self._tables.append(self._rows.table(self._requests, self._losses))
            self._requests, self._losses = [], []


def _conservation(simulation: Simulation, ended: int) -> dict[str, Any]:
    holds = simulation.arrived == ended + simulation.in_flight
    return {"arrived": simulation.arrived, "ended": ended, "in_flight": simulation.in_flight, "holds": holds}


def prepare(folder: Path) -> None:
    """Make the folder of a truth that is to come, without what an earlier run said there.

    raises  TruthError when it cannot be written, better now than after the run
    """
    scratch = folder / _SCRATCH
    try:
        folder.mkdir(parents=True, exist_ok=True)
        scratch.write_bytes(b"")
        scratch.unlink()
        (folder / "truth.json").unlink(missing_ok=True)
    except OSError as fault:
        raise TruthError(f"the truth cannot be written to {folder}: {_why(fault)}; name another folder") from fault


def _why(fault: OSError) -> str:
    return fault.strerror or str(fault)


def read_truth(folder: Path) -> dict[str, Any]:
    """What truth.json of a folder says.

    raises  TruthError when there is none or it is of another format
    """
    try:
        document: dict[str, Any] = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
        found = document["format"]
    except (OSError, ValueError, LookupError, TypeError) as fault:
        raise TruthError(f"{folder} holds no truth.json of a simulated fleet") from fault
    if found != FORMAT:
        raise TruthError(f"{folder}/truth.json has format {found}; this version reads format {FORMAT}")
    return document


def sinks(*parts: Callable[[Request], None]) -> Callable[[Request], None]:
    """One function that gives a request to several, in this order."""

    def give(request: Request) -> None:
        for part in parts:
            part(request)

    return give
