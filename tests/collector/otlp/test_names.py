"""What is known of attribute names is worked out once per set of names."""

from collector.otlp.key_classes import KeyClass
from collector.otlp.names import KEY_MAX, name_table


def test_a_table_is_made_once() -> None:
    names = ("a", "gen_ai.prompt")
    assert name_table(names, capture_content=False) is name_table(names, capture_content=False)


def test_names_are_classified_and_cleaned() -> None:
    table = name_table(
        ("plain", "gen_ai.prompt", "user.id", "x" * 999, "sk-abcdefghijklmnopqrst"), capture_content=False
    )
    assert table.classes.tolist()[:3] == [KeyClass.PLAIN, KeyClass.CONTENT, KeyClass.PERSONAL]
    assert table.personal.tolist() == [False, False, True, False, False]
    assert table.stored.to_pylist()[3:] == ["x" * KEY_MAX, "[masked]"]
    assert not table.are_plain


def test_plain_names_need_no_second_look() -> None:
    assert name_table(("a", "b"), capture_content=False).are_plain
    assert name_table(("gen_ai.prompt",), capture_content=True).are_plain
