"""Who knows a field first keeps it; what nobody knows is NULL or ''."""

import numpy as np
import pyarrow as pa

from collector.otlp.slots import Slots

TEXTS = pa.array(["zero", None, "two"], pa.string())


def test_numbers_are_null_where_unknown() -> None:
    slots = Slots(3)
    slots["input_tokens"].put(np.array([0, 2]), np.array([5, 7]), 4)
    slot = slots["input_tokens"]
    assert slot.column(TEXTS).to_pylist() == [5, None, 7]
    assert slot.winner.tolist() == [4, 0, 4]


def test_texts_come_from_attributes_and_from_conversions() -> None:
    slot = Slots(4)["tenant"]
    assert slot.open(np.array([0])) is None
    slot.put_positions(np.array([0]), np.array([2]), 1)
    slot.put_texts(np.array([1, 2]), ["a", "b"], np.array([1, 0]), 2)
    assert slot.column(TEXTS).to_pylist() == ["two", "b", "a", ""]
    unknown = slot.open(np.array([0, 3]))
    assert unknown is not None
    assert unknown.tolist() == [False, True]


def test_a_slot_can_forget() -> None:
    slot = Slots(2)["cached_tokens"]
    slot.put(np.array([0, 1]), np.array([1, 2]), 3)
    slot.forget(np.array([1]))
    assert slot.column(TEXTS).to_pylist() == [1, None]
    assert slot.winner.tolist() == [3, 0]


def test_used_slots_come_in_column_order() -> None:
    slots = Slots(1)
    for name in ("queue_s", "service", "seed"):
        slots[name].put_texts(np.array([0]), ["x"], np.array([0]), 1) if name == "service" else slots[name].put(
            np.array([0]), np.array([1]), 1
        )
    assert slots["replica"].is_untouched
    assert [slot.field.name for slot in slots.used()] == ["service", "seed", "queue_s"]
    assert slots.get("replica") is None
