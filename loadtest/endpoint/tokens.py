"""The tokenizer of the simulated models: a token is a word.

A token is up to twelve letters or digits, one Chinese, Japanese or Korean character, or one other mark; white space
before it belongs to it. A chat adds four tokens per message for its template, and one for the answer's beginning.
"""

import re
from collections.abc import Iterable

_WIDE = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_WIDE}]|[^\W{_WIDE}]{{1,12}}|[^\w\s]")
_PER_MESSAGE = 4
_ANSWER_BEGINS = 1


def count_tokens(text: str) -> int:
    """Tokens of a text."""
    return sum(1 for _ in _TOKEN.finditer(text))


def count_chat(contents: Iterable[str]) -> int:
    """Tokens of a chat's messages, the template's included."""
    return sum(_PER_MESSAGE + count_tokens(content) for content in contents) + _ANSWER_BEGINS
