"""Small things are remembered, large ones are worked out again."""

from collector.otlp.remember import NAMES_MAX, TEXT_MAX, is_small, remembered

CALLS: list[object] = []


@remembered(16)
def measured(key: str) -> int:
    CALLS.append(key)
    return len(key)


def test_a_small_text_is_worked_out_once() -> None:
    CALLS.clear()
    assert [measured("ab"), measured("ab")] == [2, 2]
    assert CALLS == ["ab"]


def test_a_large_text_is_not_kept() -> None:
    CALLS.clear()
    large = "x" * (TEXT_MAX + 1)
    assert [measured(large), measured(large)] == [TEXT_MAX + 1] * 2
    assert len(CALLS) == 2


def test_many_names_or_long_names_are_large() -> None:
    assert is_small(("a", "b"))
    assert not is_small(("a",) * (NAMES_MAX + 1))
    assert not is_small(("x" * 100_000,))
