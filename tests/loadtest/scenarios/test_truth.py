"""The truth folder: whole, balanced, and unknown to the product."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from loadtest.scenarios.truth import TruthError, prepare, read_truth
from tests.factories.plays import DAY_S, HOUR_S, Stretch, stretch
from tests.house.tree import ROOT

START_S = 2 * DAY_S + 10 * HOUR_S


@pytest.fixture(scope="module")
def one() -> Stretch:
    return stretch("bad-replica", START_S, START_S + HOUR_S)


def test_every_request_that_ended_is_there_once_and_the_rest_is_in_flight(one: Stretch) -> None:
    document = one.truth.document()
    book = document["conservation"]
    assert book["holds"]
    assert book["arrived"] == book["ended"] + book["in_flight"]
    assert book["ended"] == one.requests.num_rows == sum(document["totals"]["ends"].values())
    assert len(set(one.requests["number"].to_pylist())) == one.requests.num_rows


def test_the_document_names_run_time_and_what_happened(one: Stretch) -> None:
    document = one.truth.document()
    assert (document["scenario"], document["seed"]) == ("bad-replica", 1)
    assert (document["origin"], document["until"]) == ("2025-11-24T00:00:00.000Z", "2025-11-26T11:00:00.000Z")
    first, second = document["timeline"]
    assert (first["kind"], first["from"], len(first["pods"])) == ("behave", "2025-11-26T10:00:00.000Z", 1)
    assert first["defects"] > 20
    assert (second["requests"], second["pods"]) == (0, [])


def test_totals_tell_base_defects_and_what_was_emitted(one: Stretch) -> None:
    totals = one.truth.document()["totals"]
    assert 0 < totals["base_defects"] < totals["defects"]
    assert sum(totals["emitted"].values()) == one.requests.num_rows


def test_a_folder_is_written_and_read_again(one: Stretch, tmp_path: Path) -> None:
    one.truth.write(tmp_path / "truth")
    one.truth.write(tmp_path / "truth")
    assert read_truth(tmp_path / "truth") == json.loads(json.dumps(one.truth.document()))
    assert pq.read_table(tmp_path / "truth" / "requests.parquet").num_rows == one.requests.num_rows
    counted = pq.read_table(tmp_path / "truth" / "minutes.parquet")
    assert sum(counted["arrivals"].to_pylist()) == one.requests.num_rows


def test_the_same_run_has_the_same_truth(one: Stretch) -> None:
    again = stretch("bad-replica", START_S, START_S + HOUR_S)
    assert again.truth.document() == one.truth.document()
    assert again.requests.equals(one.requests)


def test_a_folder_without_truth_or_of_another_format_is_told(tmp_path: Path) -> None:
    with pytest.raises(TruthError, match=r"holds no truth\.json"):
        read_truth(tmp_path)
    (tmp_path / "truth.json").write_text(json.dumps({"format": 99}))
    with pytest.raises(TruthError, match="has format 99; this version reads format 1"):
        read_truth(tmp_path)


def test_no_room_of_the_product_knows_the_truth() -> None:
    rooms = ("collector", "api", "dashboard", "alerts", "audit", "analyzer", "store", "vocabulary", "sdk/src")
    words = ("truth.json", "requests.parquet", "minutes.parquet", "loadtest.scenarios")
    files = [path for room in rooms for path in (ROOT / room).rglob("*.py")]
    assert len(files) > 50
    assert not [path for path in files if any(word in path.read_text(encoding="utf-8") for word in words)]


def test_the_fleet_itself_knows_neither_emission_nor_scenarios() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "loadtest" / "fleet").glob("*.py")]
    assert not [text for text in texts if "loadtest.emission" in text or "loadtest.scenarios" in text]


def test_what_an_earlier_run_said_goes_before_the_next_one(one: Stretch, tmp_path: Path) -> None:
    one.truth.write(tmp_path)
    assert read_truth(tmp_path)["scenario"] == "bad-replica"
    prepare(tmp_path)
    with pytest.raises(TruthError, match="holds no truth"):
        read_truth(tmp_path)


def test_a_folder_that_cannot_be_written_is_told(one: Stretch, tmp_path: Path) -> None:
    (tmp_path / "requests.parquet").mkdir()
    with pytest.raises(TruthError, match=f"the truth cannot be written to {tmp_path}"):
        one.truth.write(tmp_path)
