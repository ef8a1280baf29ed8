"""Every check is documented, bounded in time, and unable to end the doctor."""

import re
import threading
from pathlib import Path

import pytest

from peakline_server.doctor_checks import CHECKS, CONFIGURATION, bounded, examined
from peakline_server.doctor_finding import Check, Finding, ok
from tests.peakline_server.examined_place import only, place


def test_the_table_of_the_documentation_has_every_check_in_its_order() -> None:
    page = (Path(__file__).parents[2] / "docs" / "doctor.md").read_text()
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", page, re.MULTILINE)[1:]
    assert rows == [(check.group, check.name, check.sentence) for check in (CONFIGURATION, *CHECKS)]


def test_checks_of_a_group_stand_together_and_no_two_have_one_name() -> None:
    groups = [check.group for check in (CONFIGURATION, *CHECKS)]
    assert [group for at, group in enumerate(groups) if group in groups[:at] and group != groups[at - 1]] == []
    assert len({check.name for check in CHECKS}) == len(CHECKS)


def test_a_place_where_nothing_is_is_examined_whole(tmp_path: Path) -> None:
    found = list(examined(place(data=tmp_path)))
    assert {finding.name for _, finding in found} >= {check.name for check in CHECKS} - {"ports"}
    assert not [finding for _, finding in found if "itself failed" in finding.sentence]


def test_a_check_that_hangs_is_left_behind() -> None:
    release = threading.Event()
    found = only(list(bounded("slow", lambda: [ok("slow", str(release.wait(60)))], 0.05)))
    release.set()
    assert (found.state, found.sentence) == ("warning", "No answer within 0.05 s.")


def test_a_check_that_fails_is_told_and_the_next_one_runs() -> None:
    nothing: list[Finding] = []
    checks = [Check("g", "bad", "", lambda _: [nothing[1]]), Check("g", "good", "", lambda _: [ok("good", "Fine.")])]
    bad, good = examined(place(), checks)
    assert "IndexError" in bad[1].sentence
    assert good == ("g", ok("good", "Fine."))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_a_check_is_described_by_a_sentence(check: Check) -> None:
    assert check.sentence.endswith(".")
    assert "|" not in check.sentence
