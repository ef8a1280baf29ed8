"""The course of a demo, against a server that only counts."""

import json
import os
import signal
import socket
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.harness.server import free_port
from loadtest.scenarios.document import ScenarioError
from loadtest.scenarios.truth import read_truth
from peakline_server.demo_folder import DemoFolderError, Note, open_folder
from peakline_server.demo_run import DemoOptions, run_demo
from peakline_server.demo_server import DemoServerError
from peakline_server.demo_words import ask_ledger

STUB = (sys.executable, "-m", "tests.factories.otlp_stub")


@pytest.fixture
def options(tmp_path: Path) -> DemoOptions:
    return DemoOptions(
        duration=2.5,
        days=0.1,
        requests=2000,
        data=tmp_path / "demo",
        keep=False,
        port=free_port(),
        otlp_http_port=free_port(),
        seed=1,
        is_json=True,
    )


def run(options: DemoOptions, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    run_demo(options, STUB)
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


def note_of(options: DemoOptions) -> Note:
    folder = open_folder(options.data)
    folder.lock.close()
    assert folder.note is not None
    return folder.note


def test_history_then_live_then_a_summary_that_balances(
    options: DemoOptions, capsys: pytest.CaptureFixture[str]
) -> None:
    told = run(options, capsys)
    assert 500 < told["sent"]["requests"] < 5000  # 2,000 a tenth of a day on average; nights are quiet
    assert told["ledger"]["ingest"]["traces"]["received"] == told["sent"]["spans"]


def test_the_truth_of_what_was_sent_lies_beside_the_data(
    options: DemoOptions, capsys: pytest.CaptureFixture[str]
) -> None:
    told = run(options, capsys)
    truth = read_truth(options.data / "truth")
    assert truth["conservation"]["holds"]
    assert truth["conservation"]["ended"] >= told["sent"]["requests"]
    assert [one["kind"] for one in truth["timeline"]] == ["behave"]


def test_a_scenario_is_played_from_its_origin_at_midnight(
    options: DemoOptions, capsys: pytest.CaptureFixture[str]
) -> None:
    told = run(replace(options, scenario="gateway", days=0.05, requests=500, duration=2.0), capsys)
    assert told["ledger"]["ingest"]["traces"]["received"] == told["sent"]["spans"] > 0
    note = note_of(options)
    assert (note.scenario, note.origin_ns % (86_400 * 10**9)) == ("gateway", 0)
    assert "leak_descriptors" in {one["kind"] for one in read_truth(options.data / "truth")["timeline"]}
    with pytest.raises(DemoFolderError, match="holds another story than rack; leave out --keep to begin it"):
        run_demo(replace(options, scenario="rack", keep=True), STUB)
    again = run(replace(options, duration=1.0, keep=True), capsys)
    assert note_of(options).scenario == "gateway"
    assert again["sent"]["spans"] < told["sent"]["spans"]


def test_a_scenario_that_does_not_exist_changes_nothing(options: DemoOptions) -> None:
    with pytest.raises(ScenarioError, match="there is no scenario 'noon'"):
        run_demo(replace(options, scenario="noon"), STUB)
    assert not options.data.exists()


def test_the_next_demo_starts_fresh(options: DemoOptions, capsys: pytest.CaptureFixture[str]) -> None:
    run(options, capsys)
    first = note_of(options)
    (options.data / "data" / "old").touch()
    run(replace(options, seed=2), capsys)
    assert not (options.data / "data" / "old").exists()
    assert (first.seed, note_of(options).seed) == (1, 2)


def test_with_keep_data_of_which_nothing_is_known_stay(
    options: DemoOptions, capsys: pytest.CaptureFixture[str]
) -> None:
    run(options, capsys)
    (options.data / "demo.json").write_text("{", encoding="utf-8")
    with pytest.raises(DemoFolderError, match="does not say what its data are; leave out --keep to begin anew"):
        run_demo(replace(options, keep=True), STUB)
    assert (options.data / "data").exists()


def test_with_keep_only_the_gap_is_sent(options: DemoOptions, capsys: pytest.CaptureFixture[str]) -> None:
    first = run(options, capsys)
    until_s = note_of(options).sent_until_s
    second = run(replace(options, keep=True), capsys)
    assert second["sent"]["spans"] < first["sent"]["spans"] / 10
    assert until_s <= note_of(options).sent_until_s < until_s + 60


def test_a_signal_ends_it_in_order(options: DemoOptions, capsys: pytest.CaptureFixture[str]) -> None:
    before = signal.getsignal(signal.SIGTERM)

    def stop() -> None:
        """The signal comes once the server has something, however long its start takes."""
        url = f"http://127.0.0.1:{options.port}"
        while not ((found := ask_ledger(url, 0, 10**18)) and found.document["ingest"]["traces"]["received"]):
            time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGTERM)

    stopping = threading.Thread(target=stop, daemon=True)
    stopping.start()
    told = run(replace(options, duration=None), capsys)
    stopping.join(20)
    assert told["ledger"]["ingest"]["traces"]["received"] == told["sent"]["spans"] > 0
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_taken_port_changes_nothing(options: DemoOptions, capsys: pytest.CaptureFixture[str]) -> None:
    run(options, capsys)
    stored = options.data / "data" / "precious"
    stored.touch()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(DemoServerError, match="cannot be used"):
            run_demo(replace(options, port=taken.getsockname()[1]), STUB)
    assert stored.exists()


def test_a_server_that_outlived_its_demo_is_named_before_its_port_is_complained_about(options: DemoOptions) -> None:
    held = open_folder(options.data)
    (options.data / "demo.lock").write_text("4711")
    with socket.create_server(("127.0.0.1", options.port)), pytest.raises(DemoFolderError, match="process 4711"):
        run_demo(options, STUB)
    held.lock.close()


def test_a_server_that_ends_by_itself_ends_the_demo(options: DemoOptions) -> None:
    dying = (sys.executable, "-c", "import sys; sys.exit('peakline: the store is locked')")
    with pytest.raises(DemoServerError, match="the store is locked"):
        run_demo(options, dying)


def test_a_folder_of_somebody_else_is_refused(options: DemoOptions) -> None:
    options.data.mkdir()
    (options.data / "letter.txt").touch()
    with pytest.raises(DemoFolderError):
        run_demo(options, STUB)
