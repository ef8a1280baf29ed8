"""pydantic's complaints as sentences that repeat no value."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from peakline_server.configuration.catalogue import settings
from peakline_server.configuration.mistakes import ConfigurationError, Mistake, reasons, unknown

WRONG: tuple[Any, ...] = ("hunter2", "", ["hunter2"], {"hunter2": "x"}, "-1", "99999999999", "1.5", None)


def test_a_mistake_is_one_sentence() -> None:
    assert str(Mistake(3, "a.yaml:3", "server.port", "is odd")) == "a.yaml:3: server.port: is odd"
    assert str(Mistake(0, "PEAKLINE_X", "", "is odd")) == "PEAKLINE_X: is odd"


def test_keys_of_a_file_cannot_steer_a_terminal_or_begin_a_line() -> None:
    assert str(Mistake(3, "a.yaml:3", "\x1b[31mred\n服务", "is odd")) == r"a.yaml:3: \x1b[31mred\n服务: is odd"


def test_mistakes_are_told_once_each_and_in_the_order_of_the_file() -> None:
    late, early = Mistake(10, "f:10", "b", "x"), Mistake(9, "f:9", "a", "x")
    assert str(ConfigurationError([late, early, late])) == "f:9: a: x\nf:10: b: x"


def test_an_unknown_key_gets_the_nearest_known_one_or_all() -> None:
    assert unknown("prot", ["host", "port"]) == "unknown key; did you mean 'port'?"
    assert unknown("colour", ["host", "port"]) == "unknown key; known here: host, port"


def sentences(value: object) -> list[tuple[str, str]]:
    """(kind of setting, sentence) of every setting that refuses the value."""
    found = []
    for one in settings():
        try:
            one.adapter.validate_python(value)
        except ValidationError as fault:
            found += [(one.kind, sentence) for _, sentence in reasons(fault, lambda _steps: ("key",))]
    return found


@pytest.mark.parametrize("value", WRONG)
def test_no_setting_repeats_what_it_refuses_and_none_lacks_a_sentence(value: object) -> None:
    found = sentences(value)
    assert len(found) > 3
    assert not [sentence for _, sentence in found if "cannot be used here" in sentence]
    assert not [sentence for kind, sentence in found if kind not in {"file", "folder"} and "hunter2" in sentence]


def test_a_kind_of_complaint_that_nobody_foresaw_still_repeats_nothing() -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(bytes).validate_python(["hunter2"])
    assert reasons(caught.value, lambda _steps: ()) == [((), "this cannot be used here")]
