import pytest

from store.telemetry.bounds import check_limit, check_window
from vocabulary.errors import RefusedReadError
from vocabulary.pools import SECOND_NS, Window


def test_a_window_up_to_its_bound_is_read() -> None:
    check_window(Window(0, 900 * SECOND_NS), 900)


def test_a_refused_window_names_its_length_and_the_bound() -> None:
    with pytest.raises(RefusedReadError, match="901 s long; at most 900 s"):
        check_window(Window(0, 901 * SECOND_NS), 900)


@pytest.mark.parametrize("limit", [-1, 0, 11])
def test_a_refused_limit_names_the_bound(limit: int) -> None:
    check_limit(10, 10, "rows")
    with pytest.raises(RefusedReadError, match=f"{limit} rows .* between 1 and 10"):
        check_limit(limit, 10, "rows")
