import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.questions.cursors import BadCursorError, cursor_of, place_of


@given(st.integers(-(2**63), 2**63 - 1), st.binary(min_size=16, max_size=16))
def test_a_cursor_comes_back_as_the_place_it_names(anchor_ns: int, key: bytes) -> None:
    cursor = cursor_of((anchor_ns, key))
    assert place_of(cursor) == (anchor_ns, key)
    assert cursor.replace("-", "").replace("_", "").isalnum()


@pytest.mark.parametrize(
    "cursor", ["x", "!!!!", "ß", "AAAA", "%00", base64.urlsafe_b64encode(b"\x02" + bytes(24)).decode(), "=" * 40]
)
def test_garbage_is_refused_for_good(cursor: str) -> None:
    with pytest.raises(BadCursorError, match="cursor") as caught:
        place_of(cursor)
    assert caught.value.permanent


@given(st.text(max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        anchor_ns, key = place_of(text)
    except BadCursorError:
        return
    assert place_of(cursor_of((anchor_ns, key))) == (anchor_ns, key)
