"""From a question to a request of the simulation: how long the answer would be, and where it is cut."""

from dataclasses import dataclass

from loadtest.endpoint.answers import cut_at_stop, natural_length, pieces, tokens_to_stop
from loadtest.endpoint.asks import Ask
from loadtest.endpoint.injections import Injection
from loadtest.fleet.plan import ModelPlan
from loadtest.fleet.request import Request


@dataclass(frozen=True, slots=True)
class Draft:
    """A request that has not arrived yet, and what decides the words of its answer."""

    ask: Ask
    key: bytes
    request: Request

    def spoken(self, weights: str) -> list[str]:
        """The tokens of the current attempt's whole answer by these weights."""
        request = self.request
        said = pieces(self.key, int(max(request.target_tokens, request.tokens, 0.0) + 1e-6), weights)
        return cut_at_stop(said, self.ask.stops) if self.ask.stops else said


def drafted(ask: Ask, model: ModelPlan, tenant: int, injection: Injection | None) -> Draft:
    """The request of a question. An injected cut or an empty answer is part of what the engine does."""
    key = ask.sampling.key(model.name, ask.prompt)
    room = model.context_window - ask.prompt_tokens
    limit = min(ask.max_tokens or room, room)
    natural = _natural(ask, key, model, limit)
    if injection is not None and injection.kind == "truncation":
        limit = min(limit, max(1, injection.place(min(natural, limit))))
        natural = max(natural, limit + 1)
    elif injection is not None and injection.kind == "empty":
        natural = 0
    request = Request(
        number=-1,
        arrival_s=0.0,
        model=ask.model,
        tenant=tenant,
        session=ask.session,
        prefix_tokens=ask.prefix_tokens,
        prompt_tokens=ask.prompt_tokens,
        natural_tokens=natural,
        limit_tokens=limit,
        max_tokens=ask.max_tokens,
        is_streamed=ask.is_streamed,
        temperature=ask.sampling.temperature,
        patience_s=0.0,
        luck=1.0,
        when=0.0,
    )
    return Draft(ask, key, request)


def _natural(ask: Ask, key: bytes, model: ModelPlan, limit: int) -> int:
    least = limit + 1 if ask.ignores_eos else min(ask.min_tokens, limit + 1)
    natural = max(natural_length(key, model.output), least)
    if not ask.stops:
        return natural
    return tokens_to_stop(pieces(key, min(natural, limit)), ask.stops) or natural
