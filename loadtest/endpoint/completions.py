"""Chat and text completions: a question enters the simulated cluster, its tokens leave as they are produced."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import msgspec
from starlette.types import Receive, Scope, Send

from loadtest.endpoint.asks import Ask
from loadtest.endpoint.desk import Desk
from loadtest.endpoint.drafting import Draft, drafted
from loadtest.endpoint.engine_room import Ticket
from loadtest.endpoint.exchange import Exchange, while_connected
from loadtest.endpoint.injections import Injection
from loadtest.endpoint.refusals import Refusal, refused_by
from loadtest.endpoint.replies import DONE, Reply, Usage, error_event
from loadtest.fleet.plan import ModelPlan
from loadtest.fleet.request import End

Parse = Callable[[bytes, Sequence[ModelPlan]], Ask]
_STREAM = (("content-type", "text/event-stream; charset=utf-8"), ("cache-control", "no-cache"))
_BREAKS = frozenset({End.NO_CONNECTION, End.REPLICA_LOST, End.NEVER_CONNECTED})
_INJECTED = "This error was asked for."


@dataclass(frozen=True, slots=True)
class Completions:
    """The ASGI application of one route."""

    desk: Desk
    parse: Parse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = Exchange(scope, receive, send)
        try:
            self.desk.check_key(exchange.headers)
            ask = self.parse(await exchange.body(self.desk.body_bytes_max), self.desk.plan.models)
            await self._answer(exchange, ask)
        except Refusal as refusal:
            headers = [*refusal.headers.items()]
            if refusal.status == 413:  # noqa: PLR2004 - the rest of the body would be read as the next request
                headers.append(("connection", "close"))
            await exchange.json(msgspec.json.encode(refusal.body), refusal.status, headers)

    async def _answer(self, exchange: Exchange, ask: Ask) -> None:
        model = self.desk.plan.models[ask.model]
        injection = self.desk.injection(exchange.headers, exchange.scope, model.name)
        if injection is not None and injection.status is not None:
            raise _injected_refusal(injection)
        if injection is not None and injection.kind == "timeout":
            await self._never(exchange)
            return
        draft = drafted(ask, model, self.desk.tenant(exchange.headers), injection)
        ticket = self.desk.enter(draft, exchange)
        speaker = _Speaker(self.desk, exchange, draft, ticket, injection)
        try:
            await while_connected(exchange, speaker.leave, speaker.stream() if ask.is_streamed else speaker.whole())
        finally:
            speaker.leave()

    async def _never(self, exchange: Exchange) -> None:
        watch = asyncio.ensure_future(exchange.gone())
        stop = asyncio.ensure_future(self.desk.stopping.wait())
        await asyncio.wait({watch, stop}, return_when=asyncio.FIRST_COMPLETED)
        watch.cancel()
        stop.cancel()
        await exchange.break_off()


@dataclass(slots=True)
class _Speaker:
    """Tells one answer."""

    desk: Desk
    exchange: Exchange
    draft: Draft
    ticket: Ticket
    injection: Injection | None
    sent: int = 0
    spoken: list[str] = field(default_factory=list)

    def leave(self) -> None:
        """The client has gone, or all is said."""
        self.desk.room.leave(self.ticket)

    async def whole(self) -> None:
        """The answer in one piece, when it is complete."""
        while not self.ticket.is_over:
            await self.ticket.news()
        if self.injection is not None and self.injection.kind in {"slow_start", "stall"}:
            await self._pause()
        if self.ticket.is_gone or await self._has_failed():
            return
        if self.injection is not None and self.injection.kind == "mid_stream_error":
            if self.injection.how == "broken":
                await self.exchange.break_off()
                return
            raise Refusal(500, _INJECTED)
        self.spoken = self._spoken()
        await self.exchange.json(self._reply().whole("".join(self.spoken), self._finish_reason, self._usage))

    async def stream(self) -> None:
        """The answer as events. What fails before the first token is answered with its status."""
        while not (self.ticket.has_begun or self.ticket.is_over):
            await self.ticket.news()
        if not self.ticket.has_begun and (self.ticket.is_gone or await self._has_failed()):
            return
        if self.injection is not None and self.injection.kind == "slow_start":
            await self._pause()
        self.spoken = self._spoken()
        reply = self._reply()
        await self.exchange.start(200, _STREAM)
        if self.draft.ask.is_chat:
            await self.exchange.write(reply.opening())
        if await self._tell(reply):
            await self._close(reply)

    async def _tell(self, reply: Reply) -> bool:
        """Send tokens as they come; False when the stream is not to be closed in order."""
        strikes_at = self._strikes_at()
        while not self.ticket.is_gone:
            is_over, so_far = self.ticket.is_over, self.desk.room.tokens(self.ticket)
            if strikes_at is not None and so_far >= strikes_at:
                await self._send(reply, strikes_at)
                strikes_at = None
                if not await self._strike():
                    return False
                continue
            await self._send(reply, so_far)
            if is_over:
                return True
            await self.ticket.news(self.desk.room.look_s)
        return False

    async def _send(self, reply: Reply, until: int) -> None:
        if until > self.sent:
            text = "".join(self.spoken[self.sent : until])
            self.sent = until
            if text:
                await self.exchange.write(reply.delta(text))

    def _strikes_at(self) -> int | None:
        if self.injection is None or self.injection.kind not in {"mid_stream_error", "stall"}:
            return None
        return self.injection.place(len(self.spoken))

    async def _strike(self) -> bool:
        """What was injected happens; True when the stream goes on."""
        assert self.injection is not None
        if self.injection.kind == "stall":
            await self._pause()
            return True
        if self.injection.how == "event":
            await self.exchange.write(error_event(Refusal(500, _INJECTED)) + DONE, is_last=True)
        else:
            await self.exchange.break_off()
        return False

    async def _close(self, reply: Reply) -> None:
        end = self.draft.request.end
        if end in _BREAKS:
            await self.exchange.break_off()
            return
        if end is not End.COMPLETED:
            await self.exchange.write(error_event(refused_by(end)) + DONE, is_last=True)
            return
        usage = reply.usage(self._usage) if self.draft.ask.includes_usage else b""
        await self.exchange.write(reply.closing(self._finish_reason) + usage + DONE, is_last=True)

    async def _has_failed(self) -> bool:
        """True when the connection was broken off; False when there is an answer.

        raises  Refusal for every other end
        """
        end = self.draft.request.end
        if end is End.NEVER_CONNECTED:
            await self.exchange.break_off()
            return True
        if end is not End.COMPLETED:
            raise refused_by(end)
        return False

    async def _pause(self) -> None:
        """Say nothing for a while; a client that leaves ends it."""
        assert self.injection is not None
        loop = asyncio.get_running_loop()
        until_s = loop.time() + self.injection.seconds
        while not self.ticket.is_gone and (left_s := until_s - loop.time()) > 0:
            await self.ticket.news(left_s)

    def _spoken(self) -> list[str]:
        return self.draft.spoken(self.desk.basis.weights(self.desk.identity(self.draft.request)))

    def _reply(self) -> Reply:
        ask, request = self.draft.ask, self.draft.request
        prefix = "chatcmpl" if ask.is_chat else "cmpl"
        return Reply(
            is_chat=ask.is_chat,
            request_id=f"{prefix}-{self.exchange.request_id}",
            model=self.desk.plan.models[ask.model].name,
            created_s=self.desk.room.clock.at_ns(request.arrival_s) // 1_000_000_000,
            fingerprint=self.desk.basis.fingerprint(self.desk.identity(request)),
        )

    @property
    def _finish_reason(self) -> str:
        return "length" if self.draft.request.is_cut else "stop"

    @property
    def _usage(self) -> Usage:
        request = self.draft.request
        return Usage(request.prompt_tokens, int(request.tokens + 1e-6), request.cached_tokens)


def _injected_refusal(injection: Injection) -> Refusal:
    assert injection.status is not None
    headers = {} if injection.kind == "504" else {"retry-after": str(injection.retry_after)}
    return Refusal(injection.status, _INJECTED, headers=headers)
