from typing import Any

from analyzer.questions.answers import RequestRecord
from dashboard.panels.canonical import GROUPS, canonical
from tests.dashboard.looking import of_type, view_of, words
from tests.dashboard.spans import START_NS, span
from vocabulary.fields import CANONICAL

VIEW = view_of("/")


def record(**fields: Any) -> RequestRecord:
    known = {field.name: fields.get(field.name) for field in CANONICAL}
    return RequestRecord(
        "k", "t", START_NS, None, None, None, "s", "m", "completed", [], "", 1, ["engine"], ["vllm"], [], known
    )


def test_every_canonical_field_is_in_a_group() -> None:
    assert {field.name for _, fields in GROUPS for field in fields} == {field.name for field in CANONICAL}


def test_unknown_is_said_and_zero_is_zero() -> None:
    shown = words(canonical(VIEW, record(temperature=0.0, retries=0), []))
    assert "temperature 0.0" in shown
    assert "retries 0" in shown
    assert "top p unknown" in shown
    assert shown.count("unknown") == len(CANONICAL) - 2


def test_a_value_names_the_attribute_and_the_hop_that_told_it() -> None:
    engine = span(
        "e", hop_role="engine", fields={"input_tokens": 1234}, sources={"input_tokens": "gen_ai.usage.input_tokens"}
    )
    assert "input tokens 1,234 gen_ai.usage.input_tokens engine" in words(
        canonical(VIEW, record(input_tokens=1234), [engine])
    )


def test_durations_are_in_readable_units_and_a_seed_is_no_quantity() -> None:
    shown = words(canonical(VIEW, record(queue_s=0.0123, seed=1234567), []))
    assert "queue 12.3 ms" in shown
    assert "random seed" not in shown
    assert "seed 1234567" in shown


def test_a_field_explains_itself() -> None:
    first = of_type(canonical(VIEW, record(), []), "Table")[0].rows[0]["cells"][0]
    assert first["title"].startswith("service: ")
