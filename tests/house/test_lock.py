"""requirements.lock is complete, names no host, and is noticed when it is out of date."""

from pathlib import Path
from shutil import copy

import pytest

from tests.house.tree import ROOT
from tools.lock import LOCK, PROJECTS, complaints

LOCKED = (ROOT / LOCK).read_text()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for file in PROJECTS:
        (tmp_path / file).parent.mkdir(exist_ok=True)
        copy(ROOT / file, tmp_path / file)
    return tmp_path


def test_the_lock_is_up_to_date() -> None:
    assert complaints(ROOT, LOCKED) == []


def test_a_new_dependency_makes_the_lock_stale(checkout: Path) -> None:
    project = checkout / "pyproject.toml"
    project.write_text(project.read_text().replace('    "alembic', '    "never-locked>=1",\n    "alembic', 1))
    found = complaints(checkout, LOCKED)
    assert len(found) == 2
    assert "never-locked" in found[1]


def test_a_changed_bound_of_the_sdk_makes_the_lock_stale(checkout: Path) -> None:
    project = checkout / "sdk" / "pyproject.toml"
    project.write_text(project.read_text().replace("opentelemetry-sdk>=1.30", "opentelemetry-sdk>=99", 1))
    assert any("opentelemetry-sdk>=99" in complaint for complaint in complaints(checkout, LOCKED))


def test_a_change_of_tool_settings_leaves_the_lock_alone(checkout: Path) -> None:
    project = checkout / "pyproject.toml"
    project.write_text(project.read_text().replace("line-length = 120", "line-length = 100", 1))
    assert complaints(checkout, LOCKED) == []


@pytest.mark.parametrize("line", ["--index-url https://packages.invalid/simple", "x @ http://packages.invalid/x.whl"])
def test_a_host_in_the_lock_is_refused(line: str) -> None:
    assert complaints(ROOT, f"{LOCKED}{line}\n") == ["it names a host or an index"]


def test_a_pin_without_a_hash_is_refused() -> None:
    assert complaints(ROOT, f"{LOCKED}left-pad==1.0\n") == ["it has no hash for left-pad==1.0"]
