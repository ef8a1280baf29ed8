"""What is written here runs on the oldest Python that each distribution promises."""

import ast

import pytest

from tests.house.tree import everything, python_files


@pytest.mark.parametrize("version", [(3, 11)])
def test_the_server_is_python_3_11(version: tuple[int, int]) -> None:
    for module in everything():
        ast.parse(module.text, module.name, feature_version=version)


def test_the_sdk_is_python_3_10() -> None:
    for module in python_files("sdk/src"):
        ast.parse(module.text, module.name, feature_version=(3, 10))
