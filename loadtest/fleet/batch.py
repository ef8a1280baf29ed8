"""The sequences that decode together, on one clock that counts tokens.

Between two events every sequence gets tokens at the same speed. The clock adds these tokens up, so a sequence
that joins at clock c with n tokens to go ends at clock c + n, whatever the speed does meanwhile: one event per
phase, none per token.
"""

from heapq import heappop, heappush

from loadtest.fleet.request import Request

TOKEN_TOLERANCE = 1e-4  # far above what sums of months round, far below a token


class Batch:
    """`clock` is in tokens, moved on by the engine; `order` is a heap of its readings at which sequences end."""

    __slots__ = ("clock", "order", "requests")

    def __init__(self) -> None:
        self.clock = 0.0
        self.requests: dict[Request, None] = {}
        self.order: list[tuple[float, int, int, Request]] = []

    def __len__(self) -> int:
        return len(self.requests)

    def join(self, request: Request) -> None:
        """Decode it from now on, to its target."""
        request.joined_clock = clock = self.clock
        self.requests[request] = None
        left = request.target_tokens - request.tokens
        heappush(self.order, (clock + left if left > 0.0 else clock, request.number, request.epoch, request))

    def leave(self, request: Request) -> float:
        """Take it out; tokens decoded since it joined, which are added to its own."""
        decoded = self.clock - request.joined_clock
        request.tokens += decoded
        request.epoch += 1
        del self.requests[request]
        return decoded

    def youngest(self) -> Request:
        """Who joined last."""
        return next(reversed(self.requests))

    def due(self) -> Request | None:
        """One sequence that has reached its target and is still in; None when there is none."""
        order, clock = self.order, self.clock + TOKEN_TOLERANCE
        while order and order[0][0] <= clock:
            _, _, epoch, request = heappop(order)
            if epoch == request.epoch:
                return request
        return None
