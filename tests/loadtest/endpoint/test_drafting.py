import json
from typing import Any

from loadtest.endpoint.asks import Ask, chat_ask
from loadtest.endpoint.drafting import Draft, drafted
from loadtest.endpoint.injections import Injection
from loadtest.endpoint.plans import default_plan

PLAN = default_plan()
MODEL = PLAN.models[0]


def ask(**body: Any) -> Ask:
    said = {"messages": [{"role": "user", "content": "hello"}], "temperature": 0, **body}
    return chat_ask(json.dumps(said).encode(), PLAN.models)


def draft(injection: Injection | None = None, **body: Any) -> Draft:
    return drafted(ask(**body), MODEL, 0, injection)


def natural_text() -> list[str]:
    one = draft()
    one.request.target_tokens = float(one.request.natural_tokens)
    return one.spoken("")


def test_the_limit_is_what_was_asked_or_the_room_that_is_left() -> None:
    assert draft(max_tokens=7).request.limit_tokens == 7
    assert draft().request.limit_tokens == MODEL.context_window - ask().prompt_tokens


def test_ignoring_the_end_goes_on_to_the_limit() -> None:
    request = draft(max_tokens=7, ignore_eos=True).request
    assert request.natural_tokens > request.limit_tokens == 7


def test_an_answer_has_at_least_min_tokens() -> None:
    assert draft(min_tokens=5000).request.natural_tokens == 5000
    assert draft(min_tokens=10**400).request.natural_tokens == draft().request.limit_tokens + 1


def test_a_stop_text_makes_the_answer_shorter() -> None:
    text = natural_text()
    one = draft(stop=text[4] + text[5])
    assert one.request.natural_tokens == 6
    one.request.target_tokens = 6.0
    assert one.spoken("") == text[:4]
    assert draft(stop=text[4] + text[5], ignore_eos=True).request.natural_tokens == 6


def test_a_stop_text_that_never_comes_changes_nothing() -> None:
    assert draft(stop="@").request.natural_tokens == draft().request.natural_tokens


def test_an_injected_truncation_is_a_limit_below_the_natural_length() -> None:
    for after, tokens in ((None, draft().request.natural_tokens // 3), (5, 5), (0, 1)):
        request = draft(Injection(kind="truncation", after=after)).request
        assert request.limit_tokens == tokens < request.natural_tokens


def test_an_injected_empty_answer_has_no_token() -> None:
    assert draft(Injection(kind="empty")).request.natural_tokens == 0
