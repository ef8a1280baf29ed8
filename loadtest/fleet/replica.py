"""One replica: an engine on cards in racks, what it runs, and what its telemetry says of itself."""

from collections.abc import Callable, Sequence
from enum import Enum

from simpy import Environment

from loadtest.fleet.engine import Engine
from loadtest.fleet.fate import FateTable
from loadtest.fleet.plan import Behaviour, ModelPlan, Version
from loadtest.fleet.rack import Rack, slowness_of
from loadtest.fleet.request import End, Identity, Request


class ReplicaState(Enum):
    """Only a ready replica takes requests; a draining one finishes those that it has."""

    STARTING = "starting"
    READY = "ready"
    DRAINING = "draining"
    DOWN = "down"


class Replica(Engine):
    """A vLLM-like server. Its lifecycle is steered from outside, by loadtest/fleet/lifecycle.py.

    identity        what telemetry says of it; replaced at each start
    version         what it really runs
    behaviour       how it behaves now. Other weights bring their own: whoever disturbs it applies what lasts to
                    `version.behaviour`, whenever a disturbance begins or ends and when a start or an upgrade is told
    skew_ns         how far its wall clock is ahead
    cache_share     part of the planned KV cache that is left
    training_share  factor on its compute speed while a training job shares the cards, 1.0: none; then `refresh`
    """

    def __init__(
        self,
        env: Environment,
        model: ModelPlan,
        model_index: int,
        place: int,
        racks: tuple[Rack, ...],
        ended: Callable[[Request, End], None],
    ) -> None:
        version = model.version
        assert model.engine.kv_tokens >= model.context_window, "one request at the context window must fit"
        super().__init__(env, model.engine, FateTable(version.behaviour, version.behaviour), ended)
        self.model = model
        self.place = place
        self.racks: tuple[Rack, ...] = ()
        self.cards = model.engine.cards
        self.state = ReplicaState.READY
        self.identity = first_identity(model, model_index, place, racks[0].index)
        self.version = version
        self.behaviour = version.behaviour
        self.skew_ns = 0
        self.training_share = 1.0
        self.cache_share = 1.0
        self.stand(racks, model.engine.cards)

    def submit(self, request: Request) -> bool:
        """Take a request; False when the queue is full or the replica is not ready."""
        if request.place >= 0:
            _forget_attempt(request)
        request.place = self.place
        request.identity = self.identity
        request.skew_ns = self.skew_ns
        request.exposure |= self.exposure
        for rack in self.racks:
            request.exposure |= rack.exposure
        return self.state is ReplicaState.READY and self.take(request)

    def present(self) -> Sequence[Request]:
        """Requests that are here now, oldest first; hung ones only while somebody waits for them."""
        prefilling = [] if self.prefilling is None else [self.prefilling]
        return [*self._hung, *self.batch.requests, *prefilling, *self.waiting]

    def behave(self, behaviour: Behaviour) -> None:
        """From now on treat requests like this."""
        self.behaviour = behaviour
        self.fates = FateTable(behaviour, self.model.version.behaviour)
        self.refresh()

    def run_version(self, version: Version) -> None:
        """Other weights, undisturbed."""
        self.version = version
        self.behave(version.behaviour)

    def shrink_cache(self, share: float) -> None:
        """From now on only this share of the planned KV cache is there; 1.0 gives all of it back."""
        self.cache_share = share
        self._fit_cache()

    def refresh(self) -> None:
        """A rack, a training job or the number of cards changed: compute the speed anew."""
        more_cards = self.cards / self.engine.cards
        self.set_speed(self.behaviour.speed * self.training_share * more_cards, slowness_of(self, self.racks))

    def stand(self, racks: tuple[Rack, ...], cards: int) -> None:
        """Span these racks from now on, with so many cards in all; the process and the size of its cache stay."""
        left = self.racks
        for rack in left:
            rack.replicas.remove(self)
            rack.crossing.discard(self)
        met = 0
        for rack in racks:
            rack.replicas.append(self)
            met |= rack.exposure
        for request in self.present():
            request.exposure |= met
        self.racks, self.cards = racks, cards
        self.identity = self.identity._replace(cards=cards, rack=racks[0].index)
        self.refresh()
        self.busy_changed()
        for rack in left:
            rack.refresh(but=self)

    def busy_changed(self) -> None:
        """A working replica that spans racks loads their uplinks."""
        if len(self.racks) == 1 or not (self.engine.exchange_s or self.engine.exchange_per_sequence_s):
            return
        for rack in self.racks:
            if self._is_busy:
                rack.crossing.add(self)
            else:
                rack.crossing.discard(self)
            rack.refresh(but=self)

    def load_beside(self) -> None:
        """New weights arrive beside the old ones: half of the cache is gone, nothing is admitted meanwhile."""
        self.is_loading = True
        self._fit_cache()

    def swap_weights(self, version: Version, *, reports: bool) -> None:
        """The weights loaded beside take over in the same process; cached contexts were made by the old ones."""
        self.kv.forget()
        if reports:
            self.identity = self.identity._replace(
                revision=version.revision, quantization=version.quantization, dtype=version.dtype
            )
        self.run_version(version)
        self.is_loading = False
        self._fit_cache()

    def begin(self, version: Version, *, reports: bool) -> None:
        """A new process, cold: it is STARTING until somebody says that it is READY."""
        assert self.state is ReplicaState.DOWN, "a process begins where none is"
        self.state = ReplicaState.STARTING
        self.begin_process(self._kv_tokens())
        self.identity = self.identity._replace(incarnation=self.identity.incarnation + 1)
        if reports:
            self.identity = self.identity._replace(
                revision=version.revision,
                quantization=version.quantization,
                dtype=version.dtype,
                engine_version=version.engine_version,
            )
        self.run_version(version)

    def die(self) -> list[Request]:
        """The process is gone at once; the caller tells `ended` of what it had."""
        lost = self.lose_all()
        self.state, self.is_loading = ReplicaState.DOWN, False
        was_busy = self._is_busy
        self.begin_process(self._kv_tokens())
        if was_busy:
            self.busy_changed()
        return lost

    def _kv_tokens(self) -> int:
        share = self.cache_share * (0.5 if self.is_loading else 1.0)
        return int(self.engine.kv_tokens * share)

    def _fit_cache(self) -> None:
        self.resize_cache(self._kv_tokens())


def first_identity(model: ModelPlan, model_index: int, place: int, rack: int) -> Identity:
    """The identity of a replica's first process, with the planned version."""
    version = model.version
    return Identity(
        model=model_index,
        place=place,
        incarnation=0,
        revision=version.revision,
        quantization=version.quantization,
        dtype=version.dtype,
        engine_version=version.engine_version,
        cards=model.engine.cards,
        rack=rack,
    )


def _forget_attempt(request: Request) -> None:
    request.scheduled_s = request.first_token_s = request.target_tokens = -1.0
    request.tokens = 0.0
    request.cached_tokens = 0
    request.is_cut = request.fails = request.hangs = request.is_base = False
