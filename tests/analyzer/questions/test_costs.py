import pytest

from analyzer.questions.answers import Cost
from analyzer.questions.costs import cost_of
from vocabulary.services import Prices

PLAIN = Prices(2.0, 8.0)
CACHED = Prices(2.0, 8.0, cached_input_per_million=0.5, currency="EUR")


def test_without_prices_there_is_no_cost() -> None:
    assert cost_of({"input_tokens": 1, "output_tokens": 1}, None) is None


@pytest.mark.parametrize(
    ("prices", "fields", "amount"),
    [
        (PLAIN, {"input_tokens": 1000, "output_tokens": 500}, 0.006),
        (PLAIN, {"input_tokens": 1000, "output_tokens": 500, "cached_tokens": 800}, 0.006),
        (CACHED, {"input_tokens": 1000, "output_tokens": 500, "cached_tokens": 800}, 0.0048),
        (CACHED, {"input_tokens": 1000, "output_tokens": 500, "cached_tokens": 0}, 0.006),
        (CACHED, {"input_tokens": 1000, "output_tokens": 500, "cached_tokens": None}, 0.006),
        (CACHED, {"input_tokens": 1000, "output_tokens": 0, "cached_tokens": 5000}, 0.0005),
        (PLAIN, {"input_tokens": 0, "output_tokens": 0}, 0.0),
        (Prices(0.1, 0.2), {"input_tokens": 1, "output_tokens": 1}, 3e-7),
    ],
)
def test_tokens_cost_what_their_kind_costs(prices: Prices, fields: dict[str, object], amount: float) -> None:
    assert cost_of(fields, prices) == Cost(amount, prices.currency)


@pytest.mark.parametrize(
    "fields", [{}, {"input_tokens": 5}, {"output_tokens": 5}, {"input_tokens": None, "output_tokens": 1}]
)
def test_an_unknown_count_makes_the_cost_unknown_and_never_0(fields: dict[str, object]) -> None:
    assert cost_of(fields, PLAIN) == Cost(None, "USD")
