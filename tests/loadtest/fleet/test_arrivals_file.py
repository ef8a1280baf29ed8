"""A file of arrivals: its loop, its structure in time, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

from loadtest.fleet.arrivals_file import ArrivalsFile, read_arrivals
from loadtest.fleet.traffic_file import TrafficFileError
from tests.factories.real_data import real_file
from tests.factories.traffic_plans import written

WRONG_HEADER = (
    "the header begins neither with TIMESTAMP,ContextTokens,GeneratedTokens (arrivals) nor with t_s,req_per_s (rates)"
)

HEADER = "TIMESTAMP,ContextTokens,GeneratedTokens\n"
ROWS = HEADER + "2023-11-16 18:00:00.5000000,10,1\n2023-11-16 18:00:01.5,20,2\n2023-11-16 18:00:04.5,30,3\n"
REAL = [("code", 8_819), ("conv", 19_366)]


def real(name: str) -> ArrivalsFile:
    return read_arrivals(str(real_file("azure-llm-2023", f"AzureLLMInferenceTrace_{name}.csv")))


def test_rows_become_seconds_since_the_first_and_tokens(tmp_path: Path) -> None:
    file = read_arrivals(written(tmp_path, ROWS))
    assert file.offset_s.tolist() == [0, 1, 4]
    assert (file.prompt.tolist(), file.generated.tolist()) == ([10, 20, 30], [1, 2, 3])


def test_times_may_carry_a_zone_of_utc_and_ten_millionths(tmp_path: Path) -> None:
    rows = "2024-05-10 00:00:00.0099300+00:00,1,1\n2024-05-10T00:00:00.0099301Z,1,1\n"
    assert read_arrivals(written(tmp_path, HEADER + rows)).offset_s.tolist() == [0, 1e-7]


def test_one_mean_gap_lies_between_two_loops(tmp_path: Path) -> None:
    file = read_arrivals(written(tmp_path, ROWS))
    arrivals, rows = file.play(0.0, 18.0, per_s=0.5)
    assert file.loop_s == 6
    assert arrivals.tolist() == [0, 1, 4, 6, 7, 10, 12, 13, 16]
    assert rows.tolist() == [0, 1, 2] * 3


def test_time_is_stretched_to_the_wanted_rate(tmp_path: Path) -> None:
    file = read_arrivals(written(tmp_path, ROWS))
    assert file.play(0.0, 30.0, per_s=0.1)[0].tolist() == [0, 5, 20]
    assert file.play(30.0, 60.0, per_s=0.1)[0].tolist() == [30, 35, 50]


def test_neighbouring_stretches_share_no_arrival_and_lose_none(tmp_path: Path) -> None:
    file = read_arrivals(written(tmp_path, ROWS))
    whole = file.play(0.0, 1000.0, per_s=0.37)
    parts = [file.play(at, at + 10.0, per_s=0.37) for at in np.arange(0.0, 1000.0, 10.0)]
    assert np.concatenate([arrivals for arrivals, _ in parts]).tolist() == whole[0].tolist()
    assert np.concatenate([rows for _, rows in parts]).tolist() == whole[1].tolist()


def test_the_peak_is_a_minute_that_one_in_twenty_exceeds(tmp_path: Path) -> None:
    each = [f"2023-11-16 {18 + minute // 60}:{minute % 60:02d}:00,1,1\n" for minute in range(100)]
    file = read_arrivals(written(tmp_path, HEADER + "".join(each[:90] + [row for row in each[90:] for _ in range(5)])))
    assert file.peak() == pytest.approx(5 / (140 / file.loop_s * 60))


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", None, "the file is empty"),
        ("time,in,out\n", 1, WRONG_HEADER),
        ("t_s,req_per_s\n0,1\n", 1, "the header does not begin with TIMESTAMP,ContextTokens,GeneratedTokens"),
        (HEADER, None, "at least two rows at different times are needed"),
        (ROWS[: ROWS.index("\n", 50)], None, "at least two rows at different times are needed"),
        (HEADER + "2023-11-16 18:00:00,1,1\n" * 2, None, "at least two rows at different times are needed"),
        (ROWS + "yesterday,1,1\n", 5, "'yesterday' is no time such as 2023-11-16 18:17:03.9799600"),
        (ROWS + "2023-13-16 18:00:05,1,1\n", 5, "'2023-13-16 18:00:05' is no time such as 2023-11-16 18:17:03.9799600"),
        (ROWS + "2023-11-16,1,1\n", 5, "'2023-11-16' is no time such as 2023-11-16 18:17:03.9799600"),
        (ROWS + "2023-11-16 18:00:05,-1,1\n", 5, "ContextTokens '-1' is no token count"),
        (ROWS + "2023-11-16 18:00:05,1,1.5\n", 5, "GeneratedTokens '1.5' is no token count"),
        (ROWS + "2023-11-16 18:00:05,1,99999999999\n", 5, "GeneratedTokens '99999999999' is no token count"),
        (ROWS + "2023-11-16 18:00:05,1," + "9" * 5000 + "\n", 5, f"GeneratedTokens '{'9' * 20}' is no token count"),
        (ROWS + "9999-01-01 00:00:00,1,1\n", 5, "'9999-01-01 00:00:00' is no time such as 2023-11-16 18:17:03.9799600"),
        (ROWS + "2023-11-16 18:00:05,1\n", 5, "3 columns are wanted, 2 are there"),
        (ROWS + "2023-11-16 18:00:03,1,1\n", 5, "its time is before that of the row above"),
    ],
)
def test_a_bad_file_is_refused_with_line_and_reason(tmp_path: Path, text: str, line: int | None, reason: str) -> None:
    with pytest.raises(TrafficFileError) as told:
        read_arrivals(written(tmp_path, text))
    assert (told.value.line, told.value.reason) == (line, reason)


@pytest.mark.parametrize(("name", "rows"), REAL)
def test_one_loop_of_azures_trace_holds_each_of_its_rows_once(name: str, rows: int) -> None:
    file = real(name)
    arrivals, played = file.play(0.0, rows / 2.0, per_s=2.0)
    assert played.tolist() == list(range(rows))
    assert np.all(np.diff(arrivals) >= 0)


@pytest.mark.parametrize(("name", "rows"), REAL)
@pytest.mark.parametrize("window_s", [1.0, 3.0, 10.0])
def test_azures_trace_is_as_bursty_when_played_as_it_was(name: str, rows: int, window_s: float) -> None:
    file = real(name)
    arrivals, _ = file.play(0.0, rows / 0.7, per_s=0.7)
    undone = arrivals * file.loop_s * 0.7 / rows
    assert dispersion(undone, window_s) == pytest.approx(dispersion(file.offset_s, window_s), rel=0.05)
    assert dispersion(file.offset_s, window_s) > 1.3


def dispersion(seconds: np.ndarray[tuple[int], np.dtype[np.float64]], window_s: float) -> float:
    """Variance of the counts in windows over their mean: 1 for a Poisson process."""
    counts = np.bincount((seconds // window_s).astype(int))
    return float(counts.var() / counts.mean())
