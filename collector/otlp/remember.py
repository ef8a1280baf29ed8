"""A cache that senders cannot fill with megabytes: what is large is worked out again."""

from collections.abc import Callable
from functools import lru_cache, update_wrapper
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

NAMES_MAX = 600  # attribute names of one body that are remembered together
TEXT_MAX = 600  # characters of a text that is remembered


def remembered(entries: int) -> Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]:
    """`lru_cache` of a function whose first argument is a text or a tuple of texts, for small ones only."""

    def decorate(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        cached = lru_cache(maxsize=entries)(function)

        def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
            if is_small(args[0]):
                return cached(*args, **kwargs)  # type: ignore[arg-type]  # the arguments are texts, flags and tables
            return function(*args, **kwargs)

        return update_wrapper(call, function)

    return decorate


def is_small(key: object) -> bool:
    """Whether a key costs little to keep."""
    if isinstance(key, str):
        return len(key) <= TEXT_MAX
    assert isinstance(key, tuple)
    return (
        len(key) <= NAMES_MAX and sum(len(item) for item in key if isinstance(item, str)) <= NAMES_MAX * TEXT_MAX // 8
    )
