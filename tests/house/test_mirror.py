"""Every module with code has its test file at the same place below tests/."""

from pathlib import Path

from tests.house.tree import GENERATED, ROOT, SDK, Module, product

EXCEPTIONS: dict[str, str] = {}
"""Modules without a test file of their own, and where they are tested instead."""


def test_file(module: Module) -> Path:
    """Where the tests of a module are: `a/b/c.py` has `tests/a/b/test_c.py`."""
    if module.path.is_relative_to(SDK):
        inside = module.path.relative_to(SDK)
        return ROOT / "sdk" / "tests" / inside.parent / f"test_{inside.name}"
    inside = module.path.relative_to(ROOT)
    return ROOT / "tests" / inside.parent / f"test_{inside.name}"


test_file.__test__ = False  # type: ignore[attr-defined]  # a helper, whatever its name


def modules_with_code() -> list[Module]:
    return [module for module in product() if module.is_code and GENERATED not in module.path.parts]


def test_every_module_with_code_has_a_test_file() -> None:
    bare = [module.name for module in modules_with_code() if not test_file(module).exists()]
    assert sorted(bare) == sorted(EXCEPTIONS)


def test_every_test_file_has_its_module() -> None:
    names = {test_file(module) for module in product()}
    folders = {"house", "paths", "tools", "bench"}
    orphans = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("test_*.py")
        if path.relative_to(ROOT / "tests").parts[0] not in folders and path not in names
    ]
    assert not orphans


def test_packages_hold_no_code_in_their_init() -> None:
    assert not [module.name for module in modules_with_code() if module.path.name == "__init__.py"]
