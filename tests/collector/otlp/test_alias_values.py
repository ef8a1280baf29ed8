"""Values are read as they are meant, or told what was wanted."""

from collections.abc import Callable

import pytest
import yaml

from collector.otlp.alias_values import UnfitError, flag, meant, several, text, whole, word, words

COLOURS = word(lambda: ("green", "red"))
FIVES = whole(range(6))


def node(written: str) -> yaml.Node:
    found = yaml.compose(written, Loader=yaml.SafeLoader)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("read", "written", "found"),
    [
        (text, "my.attribute", "my.attribute"),
        (text, "'12'", "12"),
        (text, "x" * 256, "x" * 256),
        (COLOURS, "red", "red"),
        (FIVES, "0", 0),
        (FIVES, "5", 5),
        (flag, "true", True),
        (flag, "false", False),
        (several(text), "[a, b]", ["a", "b"]),
        (several(FIVES), "[3]", [3]),
        (words, "{chat: talk, 'yes': ja}", {"chat": "talk", "yes": "ja"}),
    ],
)
def test_a_value_is_read_as_it_is_meant(read: Callable[[yaml.Node], object], written: str, found: object) -> None:
    assert read(node(written)) == found


@pytest.mark.parametrize(
    ("read", "written", "reason"),
    [
        (text, "12", "a text is wanted here; write '12' in quotes if it is meant as one"),
        (text, "yes", "a text is wanted here; write 'yes' in quotes if it is meant as one"),
        (text, "~", "a text is wanted here; write '~' in quotes if it is meant as one"),
        (text, "''", "this text is empty"),
        (text, "[a]", "a text is wanted here"),
        (text, "x" * 257, "at most 256 characters are wanted here, these are 257"),
        (COLOURS, "rde", "'rde' is none of green, red; did you mean 'red'?"),
        (COLOURS, "5", "a text is wanted here; write '5' in quotes if it is meant as one"),
        (FIVES, "6", "a whole number from 0 to 5 is wanted here"),
        (FIVES, "-1", "a whole number from 0 to 5 is wanted here"),
        (FIVES, "1.0", "a whole number from 0 to 5 is wanted here"),
        (FIVES, "'1'", "a whole number from 0 to 5 is wanted here"),
        (FIVES, "0x1", "a whole number from 0 to 5 is wanted here"),
        (FIVES, "9" * 5000, "a whole number from 0 to 5 is wanted here"),
        (FIVES, "[1]", "a whole number from 0 to 5 is wanted here"),
        (flag, "yes", "true or false is wanted here"),
        (flag, "'true'", "true or false is wanted here"),
        (flag, "1", "true or false is wanted here"),
        (several(text), "a", "a list such as [a, b] is wanted here"),
        (several(text), "[]", "a list such as [a, b] is wanted here"),
        (words, "[a]", "pairs such as {what it says: what it means} are wanted here"),
        (words, "{}", "pairs such as {what it says: what it means} are wanted here"),
        (words, "{a: b, a: c}", "'a' stands here twice"),
        (words, "{a: 1}", "a text is wanted here; write '1' in quotes if it is meant as one"),
    ],
)
def test_an_unfit_value_says_what_is_wanted(read: Callable[[yaml.Node], object], written: str, reason: str) -> None:
    with pytest.raises(UnfitError) as caught:
        read(node(written))
    assert caught.value.reason == reason


def test_the_complaint_is_about_the_item_and_not_the_list() -> None:
    with pytest.raises(UnfitError) as caught:
        several(text)(node("- a\n- 5\n"))
    assert caught.value.node.start_mark.line == 1


def test_only_a_word_that_is_like_another_is_guessed() -> None:
    assert meant("queue_ms", ["queue_s", "stream"]) == "; did you mean 'queue_s'?"
    assert meant("colour", ["queue_s", "stream"]) == ""
