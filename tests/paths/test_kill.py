"""Acknowledged is stored: kill -9 at random instants under load loses nothing and counts nothing twice."""

import asyncio
import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from bench.harness.server import ServerProcess, free_port
from tests.paths.exports import Export, Sender, seeded, split_request

ROUNDS = 10
BODIES_A_ROUND = 1_000


def _exports(rng: random.Random, count: int) -> list[Export]:
    pairs = [split_request(rng) for _ in range(count // 2)]
    first, second = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    rng.shuffle(second)
    return first + second


async def _killed_round(server: ServerProcess, sender: Sender, rng: random.Random, exports: list[Export]) -> None:
    """Send until at least BODIES_A_ROUND bodies are acknowledged, then kill at a random instant with more under way."""
    goal = sender.bodies + BODIES_A_ROUND
    sending = asyncio.create_task(sender.send(exports))
    while sender.bodies < goal and not sending.done():  # noqa: ASYNC110 - the server is another process
        await asyncio.sleep(0.002)
    await asyncio.sleep(rng.uniform(0, 0.25))
    server.kill()
    await sending


def _run_rounds(server: ServerProcess, rng: random.Random) -> Sender:
    sender = Sender(server.url)
    for number in range(ROUNDS):
        if number % 3 == 2:
            server.launch()
            time.sleep(rng.uniform(0.5, 6))
            server.kill()
        server.start()
        again, sender.unanswered = sender.unanswered, []
        exports = again + _exports(rng, BODIES_A_ROUND + 600)
        resent = rng.sample(exports, 20)
        asyncio.run(_killed_round(server, sender, rng, exports + resent))
    server.start()
    again, sender.unanswered = sender.unanswered, []
    asyncio.run(sender.send(again))
    while server.get("/api/v1/health")["pending_minutes"]:
        time.sleep(0.2)
    return sender


def _brute_force(data: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.paths.store_check", str(data)]
    answer = subprocess.run(command, check=True, capture_output=True, cwd=Path(__file__).parents[2])
    result: dict[str, Any] = json.loads(answer.stdout)
    return result


@pytest.mark.timeout(600)
def test_kill_9_under_load_loses_nothing_and_counts_nothing_twice(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "data", free_port(), tmp_path / "server.log")
    sender = _run_rounds(server, seeded())
    ledger = server.get("/api/v1/ledger?from=now-1d")
    assert server.stop() == 0
    assert sender.bodies >= ROUNDS * BODIES_A_ROUND
    assert sender.unanswered == []
    found = _brute_force(server.data)
    assert sender.acknowledged - set(found["spans"]) == set()
    assert found["repeated"] == []
    assert found["differences"] == []
    assert found["replicas_ready"] == 4
    assert found["requests"] * 2 == len(found["spans"])
    assert ledger["ingest"]["traces"]["stored"] == len(found["spans"])
