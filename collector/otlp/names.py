"""What is known of a body's attribute names; bodies of one emitter have the same names, so it is remembered."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from collector.otlp.columnar import Bools, Bytes8
from collector.otlp.key_classes import KeyClass, class_of
from collector.otlp.privacy import mask_text
from collector.otlp.remember import remembered

KEY_MAX = 256


@dataclass(frozen=True)
class NameTable:
    """Distinct attribute names of a body and what follows from them.

    stored    (k,) names as they are stored: secrets masked, at most 256 characters
    classes   (k,) KeyClass
    personal  (k,) True for names of people
    """

    stored: pa.Array
    classes: Bytes8
    personal: Bools
    are_plain: bool


@remembered(256)
def name_table(names: tuple[str, ...], *, capture_content: bool) -> NameTable:
    """Table of these names."""
    classes = np.array([class_of(name, capture_content=capture_content) for name in names], np.uint8)
    return NameTable(
        stored=pa.array([mask_text(name)[:KEY_MAX] for name in names], pa.string()),
        classes=classes,
        personal=classes == KeyClass.PERSONAL,
        are_plain=not classes.any(),
    )
