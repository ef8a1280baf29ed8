import pytest

from loadtest.endpoint.tokens import count_chat, count_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("  \n", 0),
        ("one two", 2),
        ("one, two.", 4),
        ("internationalisation", 2),
        ("请问 GPU 有几张", 6),
        ("don't", 3),
    ],
)
def test_a_token_is_a_word_a_mark_or_a_wide_character(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


def test_a_chat_counts_its_template() -> None:
    assert count_chat(["one two", ""]) == 2 + 2 * 4 + 1
