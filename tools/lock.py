"""Keeps requirements.lock true: `python -m tools.lock write` renews it, `check` says why it is out of date.

The lock is what `uv export` writes: exact versions with hashes for every platform and Python version, and no host
names. Its first line holds a digest of what it was made from, so that checking needs neither uv nor a network.
"""

import hashlib
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
LOCK = "requirements.lock"
PROJECTS = ("pyproject.toml", "sdk/pyproject.toml")
OWN = {"peakline", "peakline-server"}
FIRST_LINE = "# made by `make lock` from dependencies with sha256 {digest}"
EXPORT = (
    *("uv", "export", "--quiet", "--format", "requirements-txt", "--no-emit-workspace"),
    *("--all-groups", "--all-extras", "--no-header"),
)
PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^ ;\\]+)", re.MULTILINE)
HOST = re.compile(r"https?://|--(?:extra-)?index-url|--find-links|^-[if] ", re.MULTILINE)


def dependency_sections(root: Path) -> dict[str, object]:
    """Everything in the project files that decides what the lock must hold."""
    sections: dict[str, object] = {}
    for file in PROJECTS:
        document = tomllib.loads((root / file).read_text())
        project = document["project"]
        wanted = ("requires-python", "dependencies", "optional-dependencies")
        sections[file] = [
            {key: project.get(key) for key in wanted},
            document.get("dependency-groups"),
            document["build-system"],
        ]
    return sections


def digest(root: Path) -> str:
    """SHA-256 of the dependency sections, independent of layout and comments."""
    return hashlib.sha256(json.dumps(dependency_sections(root), sort_keys=True).encode()).hexdigest()


def requirements(root: Path) -> Iterator[Requirement]:
    """Every direct requirement of both distributions, groups and extras and build back ends included."""
    for file in PROJECTS:
        document = tomllib.loads((root / file).read_text())
        project = document["project"]
        lists = [project["dependencies"], document["build-system"]["requires"]]
        lists += project.get("optional-dependencies", {}).values()
        lists += document.get("dependency-groups", {}).values()
        yield from (Requirement(text) for texts in lists for text in texts)


def pins(lock: str) -> dict[str, list[Version]]:
    """Pinned versions by canonical name; a name has several when they differ by platform."""
    found: dict[str, list[Version]] = {}
    for pin in PIN.finditer(lock):
        found.setdefault(canonicalize_name(pin["name"]), []).append(Version(pin["version"]))
    return found


def complaints(root: Path, lock: str) -> list[str]:
    """Why the lock must be renewed; empty when it is up to date."""
    found: list[str] = []
    if lock.partition("\n")[0] != FIRST_LINE.format(digest=digest(root)):
        found.append("it was made from other dependencies than the project files name now")
    if HOST.search(lock):
        found.append("it names a host or an index")
    pinned = pins(lock)
    for wanted in requirements(root):
        versions = pinned.get(canonicalize_name(wanted.name), [])
        if wanted.name not in OWN and not any(wanted.specifier.contains(version) for version in versions):
            found.append(f"it has no version that satisfies {wanted}")
    unhashed = [block.split()[0] for block in re.split(r"\n(?=\S)", lock) if PIN.match(block) and "--hash" not in block]
    return found + [f"it has no hash for {name}" for name in unhashed]


def write(root: Path) -> None:
    """Resolve anew, keeping versions that still fit, and export."""
    subprocess.run(("uv", "lock", "--quiet"), cwd=root, check=True)
    exported = subprocess.run(EXPORT, cwd=root, check=True, capture_output=True, text=True).stdout
    (root / LOCK).write_text(FIRST_LINE.format(digest=digest(root)) + "\n" + exported)


def main(verb: str) -> int:
    """Run one verb; returns the exit code."""
    if verb == "write":
        write(ROOT)
    found = complaints(ROOT, (ROOT / LOCK).read_text())
    for complaint in found:
        print(f"{LOCK} is out of date: {complaint}. Run `make lock`.", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
