"""What a request cost, by its tokens and the prices of its service."""

from collections.abc import Mapping

from analyzer.questions.answers import Cost
from vocabulary.services import Prices

PER = 1_000_000
DIGITS = 10


def cost_of(fields: Mapping[str, object], prices: Prices | None) -> Cost | None:
    """Input and output tokens at their prices, None where there are none.

    fields  input_tokens, cached ones included, and output_tokens: the amount is unknown where one of them is;
            cached_tokens: at their own price, where they are told and it is configured, else as other input
    """
    if prices is None:
        return None
    tokens_in, tokens_out = fields.get("input_tokens"), fields.get("output_tokens")
    if not isinstance(tokens_in, int) or not isinstance(tokens_out, int):
        return Cost(None, prices.currency)
    told = fields.get("cached_tokens")
    cached = min(told, tokens_in) if isinstance(told, int) and prices.cached_input_per_million is not None else 0
    amount = (
        (tokens_in - cached) * prices.input_per_million
        + cached * (prices.cached_input_per_million or 0)
        + tokens_out * prices.output_per_million
    )
    return Cost(float(f"{amount / PER:.{DIGITS}g}"), prices.currency)
