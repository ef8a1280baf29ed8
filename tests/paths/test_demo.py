"""The demo, whole: history, live traffic, a summary that balances, and an answer from the reports."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.harness.server import free_port

COMMAND = (sys.executable, "-m", "peakline_server.main", "demo", "--json", "--days", "0.3", "--requests", "6400")


def demo(folder: Path, *options: str) -> subprocess.Popen[str]:
    ports = ["--port", str(free_port()), "--otlp-http-port", str(free_port())]
    command = [*COMMAND, "--data", str(folder), *ports, *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, said = process.communicate(timeout=180)
    assert process.returncode == 0, said
    told: dict[str, Any] = json.loads(out)
    return told


def test_what_the_demo_sent_is_what_the_server_holds(tmp_path: Path) -> None:
    told = ended(demo(tmp_path / "demo", "--duration", "4"))
    spans, requests = told["ledger"]["ingest"]["traces"], told["ledger"]["requests"]
    assert (spans["received"], spans["stored"], spans["duplicate"]) == (told["sent"]["spans"], told["sent"]["spans"], 0)
    assert requests["offered"] == told["sent"]["requests"] > 1000
    assert requests["completed"] > 0.9 * requests["offered"]
    assert requests["unknown"] == 0


def test_a_demo_that_is_stopped_ends_with_0_and_goes_on_with_keep(tmp_path: Path) -> None:
    process = demo(tmp_path / "demo")
    assert process.stderr is not None
    while "Live traffic begins" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    first = ended(process)
    second = ended(demo(tmp_path / "demo", "--duration", "1", "--keep"))
    assert second["sent"]["spans"] < first["sent"]["spans"] / 4
    held = second["ledger"]["ingest"]["traces"]
    assert held["stored"] == first["sent"]["spans"] + second["sent"]["spans"]
