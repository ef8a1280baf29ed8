"""The course of a run: what is told is what was sent."""

import json
import re
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from loadtest.scenarios.truth import TruthError, read_truth
from peakline_server.fleet_run import RunOptions, run_fleet
from tests.factories.otlp_stub import Receiver, receiving

ORIGIN = datetime(2026, 1, 5, tzinfo=UTC)
PLAIN = RunOptions(
    scenario="quiet",
    to="",
    out=None,
    days=0.05,
    requests=None,
    seed=1,
    origin=ORIGIN,
    traffic_file=None,
    has_metrics=False,
    live=None,
    truth=None,
    is_json=True,
)


def run(capsys: pytest.CaptureFixture[str], options: RunOptions) -> dict[str, Any]:
    assert run_fleet(options)
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


def sent(capsys: pytest.CaptureFixture[str], **changes: Any) -> tuple[dict[str, Any], Receiver]:
    with receiving() as receiver:
        return run(capsys, replace(PLAIN, to=receiver.url, **changes)), receiver


def test_a_history_is_sent_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    told, receiver = sent(capsys)
    assert told["spans"] == len(receiver.spans) > told["requests"] > 100
    assert (told["origin"], told["until"]) == ("2026-01-05T00:00:00.000Z", "2026-01-05T01:12:00.000Z")
    assert (told["rejected"], told["failed"]) == (0, 0)


def test_without_an_origin_the_history_ends_at_the_last_midnight(capsys: pytest.CaptureFixture[str]) -> None:
    told, _ = sent(capsys, origin=None, days=1.0, requests=300)
    midnight = time.time() // 86_400 * 86_400
    assert datetime.fromisoformat(told["until"]).timestamp() == pytest.approx(midnight, abs=86_400)
    assert told["until"].endswith("T00:00:00.000Z")
    assert 200 < told["requests"] < 400


def test_live_traffic_follows_the_history_through_the_sdk(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    told, receiver = sent(capsys, scenario="peak", live=3.0, truth=tmp_path / "truth")
    assert told["spans"] == len(receiver.spans)
    assert "2026-01-05T01:12:02" < told["until"] < "2026-01-05T01:12:09"
    truth = read_truth(tmp_path / "truth")
    assert truth["conservation"]["holds"]
    assert truth["conservation"]["in_flight"] == told["in_flight"]
    assert [one["kind"] for one in truth["timeline"]] == ["burst", "burst"]


def test_live_traffic_without_an_origin_goes_on_from_now(capsys: pytest.CaptureFixture[str]) -> None:
    told, _ = sent(capsys, origin=None, live=1.5, days=0.01, requests=2)
    assert datetime.fromisoformat(told["until"]).timestamp() == pytest.approx(time.time(), abs=20)


def test_the_same_seed_writes_the_same_bodies(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    files = []
    for name in ("one", "two"):
        run(capsys, replace(PLAIN, out=tmp_path / name, has_metrics=True))
        files.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})
    assert files[0] == files[1]
    assert {name.split(".")[1] for name in files[0]} == {"traces", "metrics", "json"}


@pytest.mark.parametrize(
    "text",
    [
        "t_s,req_per_s\n0,1\n3600,2\n7200,1\n",
        "TIMESTAMP,ContextTokens,GeneratedTokens\n"
        + "".join(f"2023-11-16 18:{minute:02d}:00.0000000,{100 + minute},20\n" for minute in range(60)),
    ],
    ids=["rates", "arrivals"],
)
def test_a_traffic_file_is_told_by_its_first_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str
) -> None:
    (tmp_path / "traffic.csv").write_text(text, encoding="utf-8-sig")
    told = run(capsys, replace(PLAIN, out=tmp_path / "out", traffic_file=tmp_path / "traffic.csv"))
    assert told["requests"] > 100


class _TracesOnly(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200 if self.path == "/v1/traces" else 404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own name
        """Say nothing."""


def test_a_receiver_without_metrics_is_told_once_and_what_is_left_out_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _TracesOnly) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        assert run_fleet(replace(PLAIN, to=url, has_metrics=True, live=2.0, is_json=False))
        server.shutdown()
    said = capsys.readouterr()
    assert said.err.count("The receiver knows no /v1/metrics; they are left out.") == 1
    assert " spans, 0 data points" in said.out
    assert re.search(r"left out [\d,]{5,} data points: the receiver takes no metrics", said.out)


def test_people_are_told_where_everything_is(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run_fleet(replace(PLAIN, out=tmp_path / "out", truth=tmp_path / "truth", is_json=False))
    said = capsys.readouterr().out
    assert f"written to {tmp_path / 'out'}: " in said
    assert f"truth in {tmp_path / 'truth'}" in said


def test_what_a_scenario_keeps_back_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text(
        "name: mine\ntitle: Mine\ntitle_zh: 我的\nsummary: A try.\ndays: 1\ntimeline:\n"
        "  - {kind: lose_spans, at_s: 0, share: 0.5, who: all}\n  - {kind: sample, at_s: 1h, share: 0.1}\n"
    )
    with receiving() as receiver:
        assert run_fleet(replace(PLAIN, scenario=str(mine), to=receiver.url, is_json=False))
    found = re.search(r"([\d,]+) spans lost, ([\d,]+) traces not sampled", capsys.readouterr().out)
    assert found is not None
    assert all(int(count.replace(",", "")) > 20 for count in found.groups())


def test_a_truth_that_could_not_be_written_is_told_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(TruthError, match="Not a directory; name another folder"):
        run_fleet(replace(PLAIN, out=tmp_path / "out", truth=tmp_path / "file" / "truth"))
    assert not (tmp_path / "out").exists()
