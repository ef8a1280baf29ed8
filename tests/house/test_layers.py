"""Who may import whom; the arrows themselves are checked by `lint-imports`."""

import ast
import sys
import tomllib
from collections.abc import Iterator

from tests.house.tree import ROOT, Module, product, python_files

METHODS_MAY_IMPORT = {"numpy", "scipy", "vocabulary", "analyzer"}
SDK_MAY_IMPORT = {
    "opentelemetry",
    "peakline",
    "typing_extensions",
}  # the last only for type checkers
METHODS_MAY_NOT_USE = {"asyncio", "datetime", "io", "os", "pathlib", "random", "socket", "subprocess", "time"}


def imported(module: Module) -> Iterator[str]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module.name}:{node.lineno} imports relatively"
            yield node.module or ""


def test_methods_import_arithmetic_only() -> None:
    for module in python_files("analyzer/methods"):
        roots = {name.partition(".")[0] for name in imported(module)}
        assert roots <= METHODS_MAY_IMPORT | (sys.stdlib_module_names - METHODS_MAY_NOT_USE), module.name
        assert not [name for name in imported(module) if name.startswith("analyzer.questions")], module.name


def test_the_sdk_imports_opentelemetry_only() -> None:
    for module in python_files("sdk/src"):
        roots = {name.partition(".")[0] for name in imported(module)}
        assert roots <= SDK_MAY_IMPORT | sys.stdlib_module_names, module.name


def test_no_contract_has_an_exception() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    assert contracts
    assert not [contract["id"] for contract in contracts if contract.get("ignore_imports")]


def test_every_lint_exception_says_why() -> None:
    section = (
        (ROOT / "pyproject.toml").read_text().partition("[tool.ruff.lint]")[2].partition("[tool.ruff.lint.isort]")[0]
    )
    rules = [line for line in section.splitlines() if line.startswith('    "')]
    assert rules
    assert not [line for line in rules if "#" not in line]


def test_only_those_who_play_a_scenario_know_its_truth() -> None:
    knowing = {
        module.name
        for module in product()
        if any(name.startswith("loadtest.scenarios.truth") for name in imported(module))
    }
    outside = {name for name in knowing if not name.startswith("loadtest/scenarios/")}
    assert outside == {f"peakline_server/{name}.py" for name in ("demo_run", "fleet_run", "fleet_truth")}
