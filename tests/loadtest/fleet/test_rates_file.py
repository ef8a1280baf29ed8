"""A course of rates: windows, gaps, the loop, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

from loadtest.fleet.rates_file import read_rates
from loadtest.fleet.traffic_file import TrafficFileError
from tests.factories.real_data import real_file
from tests.factories.traffic_plans import written

WRONG_HEADER = (
    "the header begins neither with TIMESTAMP,ContextTokens,GeneratedTokens (arrivals) nor with t_s,req_per_s (rates)"
)

HEADER = "t_s,req_per_s\n"


def test_rates_are_parts_of_their_mean_and_come_again_after_the_end(tmp_path: Path) -> None:
    rates = read_rates(written(tmp_path, HEADER + "0,10\n600,30\n1200,20\n"))
    assert rates.step_s == 600
    assert rates.at(np.array([0.0, 599.0, 600.0, 1799.0, 1800.0, 2400.0])) == pytest.approx(
        [0.5, 0.5, 1.5, 1, 0.5, 1.5]
    )


def test_edges_are_the_windows_inside_of_a_stretch_and_its_ends(tmp_path: Path) -> None:
    rates = read_rates(written(tmp_path, HEADER + "0,1\n600,2\n"))
    assert rates.edges(3600.0, 5400.0).tolist() == [3600, 4200, 4800, 5400]
    assert rates.edges(100.0, 1000.0).tolist() == [100, 600, 1000]
    assert rates.edges(10.0, 20.0).tolist() == [10, 20]


def test_a_gap_is_a_straight_line_between_its_neighbours(tmp_path: Path) -> None:
    rates = read_rates(written(tmp_path, HEADER + "0,10\n1,0\n2,0\n3,40\n"))
    assert rates.relative == pytest.approx(np.array([10, 20, 30, 40]) / 25)


def test_a_gap_at_the_end_is_filled_across_the_loop(tmp_path: Path) -> None:
    rates = read_rates(written(tmp_path, HEADER + "0,10\n1,20\n2,40\n3,0\n4,0\n"))
    assert rates.relative == pytest.approx(np.array([10, 20, 40, 30, 20]) / 24)


def test_the_peak_is_what_one_window_in_twenty_exceeds(tmp_path: Path) -> None:
    rates = read_rates(written(tmp_path, HEADER + "".join(f"{at},{at + 1}\n" for at in range(101))))
    assert rates.peak() == pytest.approx(96 / 51)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", None, "the file is empty"),
        ("t_s,rate\n0,1\n", 1, WRONG_HEADER),
        ("TIMESTAMP,ContextTokens,GeneratedTokens\n", 1, "the header does not begin with t_s,req_per_s"),
        (HEADER, None, "at least two rows are needed"),
        (HEADER + "0,1\n", None, "at least two rows are needed"),
        (HEADER + "0,1\n600,many\n", 3, "req_per_s 'many' is no number from 0 up"),
        (HEADER + "0,1\n600,-2\n", 3, "req_per_s '-2' is no number from 0 up"),
        (HEADER + "0,1\n600,nan\n", 3, "req_per_s 'nan' is no number from 0 up"),
        (HEADER + "0,1\n600,inf\n", 3, "req_per_s 'inf' is no number from 0 up"),
        (HEADER + "0,1\n600,1e308\n", 3, "req_per_s '1e308' is no number from 0 up"),
        (HEADER + "0,1\n1e-9,1\n", 3, "windows of 1e-09 s are shorter than 1 s"),
        (HEADER + "0,1\n,2\n", 3, "t_s '' is no number from 0 up"),
        (HEADER + "5,1\n600,2\n", 2, "t_s must begin with 0"),
        (HEADER + "0,1\n0,2\n", 3, "t_s does not rise"),
        (HEADER + "0,1\n600,2\n900,2\n", 4, "t_s is not 600 s after the row before"),
        (HEADER + "0,1\n600,2\n500,2\n", 4, "t_s does not rise"),
        (HEADER + "0,0\n600,0\n", None, "every rate is 0"),
        (HEADER + "0,1\n600\n", 3, "2 columns are wanted, 1 are there"),
    ],
)
def test_a_bad_file_is_refused_with_line_and_reason(tmp_path: Path, text: str, line: int | None, reason: str) -> None:
    with pytest.raises(TrafficFileError) as told:
        read_rates(written(tmp_path, text))
    assert (told.value.line, told.value.reason) == (line, reason)


@pytest.mark.parametrize(
    ("name", "windows"), [("language_m-large", 2016), ("language_m-mid", 2016), ("reason_deepseek-r1", 144)]
)
def test_servegen_files_are_read_whole_and_without_silence(name: str, windows: int) -> None:
    rates = read_rates(str(real_file("servegen", f"{name}_10min.csv")))
    assert (len(rates.relative), rates.step_s) == (windows, 600)
    assert rates.relative.min() > 0
    assert rates.relative.mean() == pytest.approx(1)
