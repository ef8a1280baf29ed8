import pytest

from vocabulary.pools import MINUTE_NS, SECOND_NS, Pool, Window


def test_a_window_has_a_length_in_seconds() -> None:
    assert Window(MINUTE_NS, 3 * MINUTE_NS).seconds == 120
    assert Window(0, SECOND_NS // 2).seconds == 0.5


@pytest.mark.parametrize("end_ns", [10, 9])
def test_an_empty_or_reversed_window_is_refused(end_ns: int) -> None:
    with pytest.raises(ValueError, match="before it starts"):
        Window(10, end_ns)


def test_pools_have_an_order() -> None:
    assert min([Pool("b", "a"), Pool("a", "b"), Pool("a", "a")]) == Pool("a", "a")
