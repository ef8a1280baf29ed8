"""One replica, an empty world around it, and what left it."""

from collections.abc import Callable

from msgspec.structs import replace
from simpy import Environment
from simpy.events import Event

from loadtest.fleet.plan import Behaviour, EnginePlan, Lengths, ModelPlan, Version
from loadtest.fleet.rack import Rack
from loadtest.fleet.replica import Replica
from loadtest.fleet.request import End, Request

FAULTLESS = Behaviour(error_probability=0.0, empty_probability=0.0, runaway_probability=0.0)
ENGINE = EnginePlan(
    batch_max=4,
    kv_tokens=1000,
    queue_max=5,
    prefill_tokens_per_s=1000.0,
    prefill_share=0.5,
    step_s=0.1,
    load_s=90.0,
)
MODEL = ModelPlan(
    name="tested",
    version=Version(revision="1", behaviour=FAULTLESS),
    context_window=500,
    replicas=1,
    share=1.0,
    prompt=Lengths(median=100, spread=0.5, largest=500),
    output=Lengths(median=100, spread=0.5, largest=500),
    engine=ENGINE,
    in_flight_max=100,
    queue_max=100,
    timeout_s=600.0,
    patience=Lengths(median=100, spread=0.0, largest=1000),
)


def asking(
    number: int,
    prompt: int = 100,
    output: int = 11,
    *,
    luck: float = 0.5,
    limit: int = 10_000,
    session: int = -1,
    prefix: int = 0,
) -> Request:
    """A request; luck of 0.5 means that nothing happens to it."""
    return Request(
        number=number,
        arrival_s=0.0,
        model=0,
        tenant=0,
        session=session,
        prefix_tokens=prefix,
        prompt_tokens=prompt,
        natural_tokens=output,
        limit_tokens=limit,
        max_tokens=0,
        is_streamed=True,
        temperature=0.0,
        patience_s=1e9,
        luck=luck,
        when=0.5,
    )


class Bench:
    """A replica of a model, or of the usual one with another engine plan or behaviour."""

    def __init__(
        self,
        engine: EnginePlan = ENGINE,
        *,
        window: int = 500,
        behaviour: Behaviour = FAULTLESS,
        racks: tuple[Rack, ...] | None = None,
        env: Environment | None = None,
    ) -> None:
        self.env = Environment() if env is None else env
        self.left: list[tuple[float, int, End]] = []
        version = Version(revision="1", behaviour=behaviour)
        model = replace(MODEL, engine=engine, context_window=window, version=version)
        self.replica = Replica(self.env, model, 0, 0, racks or (Rack(0, 8, 6.0),), self._note)

    def _note(self, request: Request, end: End) -> None:
        self.left.append((round(self.env.now, 6), request.number, end))

    def ask(self, *requests: Request) -> None:
        """Submit them now; all must be taken."""
        assert all([self.replica.submit(request) for request in requests])  # noqa: C419 - each is to be submitted

    def at(self, when_s: float, act: Callable[[], object]) -> None:
        """Do something later."""

        def run(_event: Event) -> None:
            act()

        self.env.timeout(when_s).callbacks.append(run)

    def run(self, until_s: float = 10_000.0) -> None:
        """Let time pass."""
        self.env.run(until=until_s)

    def ends(self) -> dict[int, End]:
        """How each request ended that left by itself."""
        return {number: end for _, number, end in self.left}
