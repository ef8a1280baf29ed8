"""Every text is in every language, and no page carries words of its own."""

import ast
import json
import re
from pathlib import Path

import pytest

import dashboard
from dashboard.wording import LANGUAGES, choose, wording
from vocabulary.fields import CANONICAL
from vocabulary.outcomes import DEFECT_NAMES, Outcome
from vocabulary.tiers import LoadTier, ServiceTier

PACKAGE = Path(dashboard.__file__).parent
TEXTS = {code: json.loads((PACKAGE / "texts" / f"{code}.json").read_text(encoding="utf-8")) for code in LANGUAGES}
SPOKEN = re.compile(r"[A-Za-z]{3,} [A-Za-z]{2,}|[\u4e00-\u9fff]")
CLASSES = re.compile(r"(?=.*-)[a-z0-9_ -]+|mono prose|mono source|strong rate")
SAID = re.compile(r"""say\(\s*f?["']([a-z0-9_.]+)["'](?=[,)\s])""")


def sources() -> list[Path]:
    return [path for path in PACKAGE.rglob("*.py") if path.parent.name != "texts"]


def test_all_languages_have_the_same_keys() -> None:
    assert set(TEXTS["en"]) == set(TEXTS["zh"])


def test_a_text_names_the_same_values_in_every_language() -> None:
    def names(text: str) -> list[str]:
        return sorted(re.findall(r"{(\w+)}", text))

    assert not [key for key, text in TEXTS["en"].items() if names(text) != names(TEXTS["zh"][key])]


def test_no_text_is_empty() -> None:
    assert not [key for texts in TEXTS.values() for key, text in texts.items() if not text.strip()]


def test_every_key_that_the_code_says_is_in_the_catalogue() -> None:
    said = {key for path in sources() for key in SAID.findall(path.read_text(encoding="utf-8"))}
    assert len(said) > 100
    assert not said - set(TEXTS["en"])


def test_words_from_data_are_known() -> None:
    wanted = [
        *(f"outcome.{name}" for name in Outcome),
        *(f"defect.{name}" for name in DEFECT_NAMES),
        *(f"defect_help.{name}" for name in DEFECT_NAMES),
        *(f"load_tier.{name}" for name in LoadTier),
        *(f"service_tier.{name}" for name in ServiceTier),
        *(f"field.{field.name}" for field in CANONICAL),
    ]
    assert not [key for key in wanted if key not in TEXTS["en"]]


@pytest.mark.parametrize("folder", ["pages", "panels"])
def test_pages_and_panels_hold_no_sentences_of_their_own(folder: str) -> None:
    found = [
        f"{path.name}: {text}"
        for path in sorted((PACKAGE / folder).glob("*.py"))
        for text in spoken_constants(ast.parse(path.read_text(encoding="utf-8")))
        if path.name != "set_up.py" or folder == "pages"  # there stand the lines to paste, which nobody translates
    ]
    assert not found


def spoken_constants(tree: ast.Module) -> list[str]:
    """Texts that read like a sentence, docstrings and CSS class lists left out."""
    quiet = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    quiet |= {id(k.value) for k in ast.walk(tree) if isinstance(k, ast.keyword) and k.arg in {"className", "tone"}}
    constants = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in quiet]
    texts = [node.value for node in constants if isinstance(node.value, str)]
    return [text for text in texts if SPOKEN.search(text) and not CLASSES.fullmatch(text)]


def test_a_missing_key_is_a_programmers_error() -> None:
    with pytest.raises(KeyError):
        wording("en")("no.such.key")


def test_a_word_from_data_that_nobody_knows_stands_as_it_came() -> None:
    assert wording("zh").known("service_tier", "gold") == "gold"
    assert wording("zh").known("service_tier", "core") == "核心"


def test_the_address_wins_over_the_cookie_and_both_over_english() -> None:
    assert (choose("zh", "en", "en"), choose("", "zh"), choose("xx", "")) == ("zh", "zh", "en")
    assert wording("xx").language == "en"


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("fr, zh-Hans;q=0.4, en;q=0.8", "en"),
        ("en;q=0, zh;q=0.1", "zh"),
        ("de", "en"),
        ("ZH", "zh"),
        ("", "en"),
        (";;;q=,zh;q=nan,zh;q=1e9", "en"),
        ("x," * 10_000 + "zh", "en"),
    ],
)
def test_the_browsers_languages_are_followed_before_english(header: str, language: str) -> None:
    assert choose("", "", header) == language


def test_what_the_reader_chose_wins_over_the_browser() -> None:
    assert choose("", "en", "zh") == "en"
