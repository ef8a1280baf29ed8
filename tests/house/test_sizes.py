"""Files and functions stay small enough to be read in one sitting."""

from tests.house.tree import GENERATED, Module, everything, functions

MODULE_LINES_MAX = 400
FUNCTION_LINES_MAX = 40


def handwritten() -> list[Module]:
    return [module for module in everything() if GENERATED not in module.path.parts]


def test_no_module_is_longer_than_the_ceiling() -> None:
    long = {module.name: module.lines for module in handwritten() if module.lines > MODULE_LINES_MAX}
    assert not long


def test_no_function_is_longer_than_the_ceiling() -> None:
    long = {
        f"{module.name}:{function.lineno} {function.name}": lines
        for module in handwritten()
        for function in functions(module.tree)
        if (lines := (function.end_lineno or 0) - function.lineno + 1) > FUNCTION_LINES_MAX
    }
    assert not long
