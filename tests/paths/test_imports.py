"""Files, through the OTLP path, into the store and out of the reports: exactly the files' numbers."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bench.harness.pages import PageReader
from bench.harness.server import ServerProcess, running_server
from tests.factories.real_data import real_file

SHARES = {0: 0.1, 1: 0.05, 2: 0.08, 3: 0.085, 4: 0.06, 5: 0.144, 6: 0.308, 7: 0.622}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with running_server(tmp_path_factory.mktemp("imports")) as one:
        yield one


def imported(server: ServerProcess, *arguments: str) -> list[dict[str, Any]]:
    where = ["--endpoint", server.url, "--server", server.url, "--json"]
    command = [sys.executable, "-m", "peakline_server.main", "import", *arguments, *where]
    ended = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    files: list[dict[str, Any]] = json.loads(ended.stdout)["files"]
    return files


def day(server: ServerProcess, date: str, offered: int) -> dict[str, Any]:
    """The request ledger of the two days from a date on, once rollups tell all that were offered."""
    start = datetime.fromisoformat(date).replace(tzinfo=UTC)
    window = f"from={start:%Y-%m-%dT%H:%M:%SZ}&to={start + timedelta(days=2):%Y-%m-%dT%H:%M:%SZ}"
    deadline = time.monotonic() + 60
    while True:
        ledger: dict[str, Any] = server.get(f"/api/v1/ledger?{window}")["requests"]
        if ledger["offered"] == offered:
            return ledger
        assert ledger["offered"] < offered, ledger
        assert time.monotonic() < deadline, ledger
        time.sleep(0.1)


def test_a_small_file_of_our_own_ends_in_the_ledger_as_unknown(server: ServerProcess, tmp_path: Path) -> None:
    rows = "".join(f"2024-05-10 00:00:{second:02d}.5000001,{second},1\n" for second in range(40))
    (tmp_path / "own_chat.csv").write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n" + rows, encoding="utf-8")
    [first] = imported(server, "azure-llm", str(tmp_path / "own_chat.csv"), "--batch", "7")
    [again] = imported(server, "azure-llm", str(tmp_path / "own_chat.csv"))
    assert (first["stored"], again["stored"], again["sent"]) == (40, 40, 0)
    ledger = day(server, "2024-05-10", offered=40)
    assert (ledger["unknown"], ledger["completed"]) == (40, 0)


def test_a_sweep_is_marked_synthetic_in_its_spans_and_on_the_screen(server: ServerProcess, tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text(
        "sweep,measured_rate_rps,requests,ok_200,code_0,code_500,client_timeout_s,duration_s,p50_s\n"
        "own_2024-06-01,5.0,10,7,2,1,10,2,0.4\n",
        encoding="utf-8",
    )
    imported(server, "sweep", str(tmp_path / "own.csv"))
    day(server, "2024-06-01", offered=10)
    during = "from=2024-06-01T00:00:00Z&to=2024-06-02T00:00:00Z"
    assert server.get(f"/api/v1/requests?{during}")["items"] == []
    request = server.get(f"/api/v1/requests?{during}&load_test=own_2024-06-01")["items"][0]
    (span,) = server.get(f"/api/v1/traces/{request['trace_id']}")["spans"]
    assert span["attributes"]["peakline.synthetic"] is True
    with closing(PageReader(server.port)) as pages:
        for address in (f"/requests/{request['request_key']}", "/?load_test=own_2024-06-01"):
            assert ">synthetic<" in words(pages.page(address))
            assert ">合成<" in words(pages.page(address + ("&" if "?" in address else "?") + "lang=zh"))


def words(drawn: bytes) -> str:
    """Every text of a drawn page, each between angle brackets."""

    def texts(node: object) -> Iterator[str]:
        if isinstance(node, str):
            yield node
        elif isinstance(node, list):
            yield from (text for one in node for text in texts(one))
        elif isinstance(node, dict):
            yield from texts(list(node.values()))

    return "".join(f">{text}<" for text in texts(json.loads(drawn)))


def test_imported_requests_are_production_in_the_list(server: ServerProcess, tmp_path: Path) -> None:
    (tmp_path / "list_chat.csv").write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n2024-07-01 00:00:00,1,1\n")
    imported(server, "azure-llm", str(tmp_path / "list_chat.csv"))
    (item,) = server.get("/api/v1/requests?from=2024-07-01T00:00:00Z&to=2024-07-02T00:00:00Z")["items"]
    assert item["outcome"] == "unknown"


def test_azure_traces_end_with_exactly_their_rows_and_tokens(server: ServerProcess) -> None:
    files = [str(real_file("azure-llm-2023", f"AzureLLMInferenceTrace_{name}.csv")) for name in ("code", "conv")]
    told = [(f["stored"], f["input_tokens"], f["output_tokens"]) for f in imported(server, "azure-llm", *files)]
    assert told == [(8819, 18_059_974, 245_896), (19_366, 22_361_870, 4_088_665)]
    assert day(server, "2023-11-16", offered=28_185)["unknown"] == 28_185
    pools = server.get("/api/v1/pools?from=2023-11-16T00:00:00Z&to=2023-11-17T00:00:00Z")["items"]
    assert {(p["service"], p["model"]): p["requests"] for p in pools} == {
        ("azure-llm", "code"): 8819,
        ("azure-llm", "conv"): 19_366,
    }


def test_the_sweeps_give_exactly_their_failure_shares(server: ServerProcess) -> None:
    [told] = imported(server, "sweep", str(real_file("gateway-overload-bud", "sweeps.csv")))
    assert (told["stored"], told["rejected"], told["bad_lines"]) == (41_261, 0, [])
    ledger = day(server, "2025-12-09", offered=41_261)
    report = server.get("/api/v1/reports/tiers?load_test=baseline_2025-12-09")
    assert {row["step"]: round(row["rate"]["rate"], 3) for row in report["rows"]} == SHARES
    tests = [test for test in server.get("/api/v1/loadtests")["items"] if not test["load_test"].startswith("own")]
    assert sum(test["requests"] for test in tests) == 41_261
    assert ledger["failed"] == 6


def test_load_tests_stay_outside_production_tiers(server: ServerProcess) -> None:
    real_file("gateway-overload-bud", "sweeps.csv")
    pools = server.get("/api/v1/pools?from=2025-12-09T00:00:00Z&to=2025-12-10T00:00:00Z")["items"]
    assert pools == []
