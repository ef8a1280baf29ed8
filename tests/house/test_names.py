"""Names say what a file is about."""

import importlib

import pytest

from tests.house.tree import PACKAGES, ROOT, SDK, everything, product

FORBIDDEN = {"utils", "util", "helpers", "helper", "common", "base", "manager", "misc"}


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert not [module.name for module in everything() if FORBIDDEN & {*module.path.with_suffix("").parts}]


@pytest.mark.parametrize("package", [*PACKAGES, "peakline"])
def test_every_package_can_be_imported(package: str) -> None:
    assert importlib.import_module(package).__doc__


def test_every_folder_with_modules_is_a_package() -> None:
    folders = {module.path.parent for module in product()}
    assert not [str(folder.relative_to(ROOT)) for folder in folders if not (folder / "__init__.py").exists()]


def test_folders_that_would_shadow_a_library_are_no_packages() -> None:
    assert not [name for name in ("docker", "tests", "docs", "tools") if (ROOT / name / "__init__.py").exists()]


def test_the_sdk_says_that_it_is_typed() -> None:
    assert (SDK / "py.typed").exists()
