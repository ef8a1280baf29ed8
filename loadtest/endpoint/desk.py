"""What the routes share: the cluster, the injections, who may ask, and who hears of finished requests."""

import asyncio
import hmac
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.types import Scope

from loadtest.endpoint.basis import Basis
from loadtest.endpoint.behaviours import Behaviours
from loadtest.endpoint.clock import Clock
from loadtest.endpoint.drafting import Draft
from loadtest.endpoint.engine_room import EngineRoom, Ticket
from loadtest.endpoint.engine_spans import EngineSpans
from loadtest.endpoint.exchange import Exchange
from loadtest.endpoint.injections import Injection, InjectionError, Injections, Planted, injection_from_text
from loadtest.endpoint.options import EndpointOptions
from loadtest.endpoint.refusals import Refusal, bad_request
from loadtest.endpoint.request_record import RequestRecord
from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.request import Identity, Request

LOOPBACK = frozenset({"127.0.0.1", "::1"})
_UNAUTHORIZED = 401


@dataclass(slots=True)
class Desk:
    """One endpoint at work."""

    options: EndpointOptions
    room: EngineRoom = field(init=False)
    injections: Injections = field(init=False)
    behaviours: Behaviours = field(init=False)
    basis: Basis = field(init=False)
    record: RequestRecord = field(init=False)
    spans: EngineSpans | None = field(init=False)
    stopping: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        options = self.options
        self.room = EngineRoom(options.plan, Clock(options.speed))
        self.injections = Injections(options.plan.seed)
        for injection in options.injections:
            self.plant(injection)
        self.behaviours = Behaviours(self.room)
        for behave in options.behaviours:
            self.behaviours.plant(self.injections.next_number(), behave)
        self.basis = Basis(options.plan, options.drifted, options.drift_is_silent)
        self.record = RequestRecord(options.plan, self.room.clock)
        self.spans = EngineSpans(options.plan, self.room.clock, options.otlp) if options.otlp else None
        self.room.heard.append(self.record.add)
        if self.spans is not None:
            self.room.heard.append(self.spans.add)

    @property
    def plan(self) -> FleetPlan:
        """The cluster behind the endpoint."""
        return self.room.plan

    @property
    def body_bytes_max(self) -> int:
        """Largest body that is read."""
        return self.options.body_bytes_max

    def check_key(self, headers: Headers) -> None:
        """Whether the caller may ask.

        raises  Refusal
        """
        wanted = self.options.api_key
        if wanted is None:
            return
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not hmac.compare_digest(
            given.strip().encode("latin-1"), wanted.encode("utf-8", "surrogateescape")
        ):
            raise Refusal(_UNAUTHORIZED, "Unauthorized", headers={"www-authenticate": "Bearer"})

    def plant(self, injection: Injection) -> Planted:
        """From now on requests meet it.

        raises  InjectionError when it is for a model that is not served
        """
        names = [model.name for model in self.plan.models]
        if injection.model not in (None, *names):
            raise InjectionError(f"there is no model {injection.model!r}; there are {', '.join(names)}")
        return self.injections.plant(injection)

    def injection(self, headers: Headers, scope: Scope, model: str) -> Injection | None:
        """What this request meets: what its header asks for, or else what is planted.

        raises  Refusal when the header cannot be understood
        """
        asked = headers.get("x-simulate")
        if asked and self.options.allows_header and is_loopback(scope):
            try:
                return self.injections.count(injection_from_text(asked))
            except InjectionError as problem:
                raise bad_request(f"x-simulate: {problem}", "x-simulate") from None
        return self.injections.next_for(model)

    def tenant(self, headers: Headers) -> int:
        """The caller that the header `x-tenant` names; the first one of the plan otherwise."""
        name = headers.get("x-tenant")
        return next((index for index, tenant in enumerate(self.plan.tenants) if tenant.name == name), 0)

    def enter(self, draft: Draft, exchange: Exchange) -> Ticket:
        """Let the request arrive."""
        ticket = self.room.enter(draft.request)
        if self.spans is not None and not ticket.is_over:
            prefix = "chatcmpl" if draft.ask.is_chat else "cmpl"
            self.spans.expect(draft.request, draft.ask.top_p, exchange.headers, f"{prefix}-{exchange.request_id}")
        return ticket

    def identity(self, request: Request) -> Identity:
        """Who answered."""
        assert request.identity is not None, "only a request that reached an engine has an answer"
        return request.identity

    def start(self) -> None:
        """Begin to follow the clock; the first request does it too."""
        self.room.start()

    async def stop(self) -> None:
        """Let go of everybody who waits, and send what telemetry is left."""
        self.stopping.set()
        await self.room.stop()
        if self.spans is not None:
            await asyncio.to_thread(self.spans.close)


def is_loopback(scope: Scope) -> bool:
    """Whether the other end is on this machine."""
    client = scope.get("client")
    return client is not None and client[0] in LOOPBACK
