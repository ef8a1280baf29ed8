"""`make` on a bare machine: what is missing is said in one sentence, and what is done is not done again."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.house.tree import ROOT

TOO_OLD = "#!/bin/sh\nexit 1\n"
WITHOUT_VENV = """#!/bin/sh
case "$2" in
    *version_info\\[:2\\]*) exit 0 ;;
    *ensurepip*) exit 1 ;;
    *) echo python3.12-venv ;;
esac
"""
WILLING = "#!/bin/sh\nexit 0\n"
NEEDED = ("sh", "cat", "cksum", "dirname", "sed", "grep", "env", "mkdir")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "tools").mkdir()
    (tmp_path / "sdk").mkdir()
    for file in ("requirements.lock", "pyproject.toml", "sdk/pyproject.toml", "tools/setup.sh"):
        shutil.copy(ROOT / file, tmp_path / file)
    (tmp_path / "bin").mkdir()
    for name in NEEDED:
        (tmp_path / "bin" / name).symlink_to(str(shutil.which(name)))
    return tmp_path


def put(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script)
    path.chmod(0o755)


def set_up(checkout: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": str(checkout / "bin")}
    return subprocess.run(
        ["tools/setup.sh"], cwd=checkout, env=environment, capture_output=True, text=True, check=False, timeout=60
    )


def test_without_a_suitable_python_one_sentence_says_so(checkout: Path) -> None:
    put(checkout / "bin" / "python3", TOO_OLD)
    done = set_up(checkout)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "needs Python 3.11, 3.12 or 3.13" in done.stderr


def test_without_venv_the_package_to_install_is_named(checkout: Path) -> None:
    put(checkout / "bin" / "python3.12", WITHOUT_VENV)
    done = set_up(checkout)
    assert done.returncode == 2
    assert "apt-get install python3.12-venv" in done.stderr


def test_what_is_set_up_is_left_alone_until_something_changes(checkout: Path) -> None:
    for name in ("python", "uv"):
        put(checkout / ".venv" / "bin" / name, WILLING)
    first = set_up(checkout)
    assert (first.returncode, "3/3" in first.stdout) == (0, True)
    again = set_up(checkout)
    assert (again.returncode, again.stdout) == (0, "")
    with (checkout / "requirements.lock").open("a") as lock:
        lock.write("# changed\n")
    assert "3/3" in set_up(checkout).stdout


def test_uv_is_installed_from_the_lock_with_its_hashes(checkout: Path) -> None:
    for name in ("python", "uv"):
        put(checkout / ".venv" / "bin" / name, WILLING)
    set_up(checkout)
    bootstrap = (checkout / ".venv" / "bootstrap.txt").read_text()
    assert bootstrap.startswith("uv==")
    assert bootstrap.count("--hash=sha256:") > 5
    assert not bootstrap.rstrip().endswith("\\")
