"""Replicas that behave differently or restart on demand: `behave` as on a fleet's timeline, from now on."""

from dataclasses import dataclass, field
from typing import Any

import msgspec

from loadtest.endpoint.engine_room import EngineRoom
from loadtest.endpoint.injections import BEHAVE, InjectionError, plainly
from loadtest.fleet.replica import Replica
from loadtest.fleet.timeline import Behave

KIND = BEHAVE
RESTART = "restart"
_SPEED_MAX = 100.0  # beyond it a step takes next to no time, and the simulation no end
_FACTOR_MAX = 1_000.0
_FOR_S_MAX = 1e9
_CHANGES = (
    "speed",
    "error_probability",
    "empty_probability",
    "runaway_probability",
    "hang_probability",
    "output_factor",
)


class Restart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Replicas of a model; none named: all of them."""

    model: str
    replicas: tuple[int, ...] = ()


@dataclass(slots=True)
class Behaviours:
    """The changes in force, by number."""

    room: EngineRoom
    planted: dict[int, Behave] = field(default_factory=dict)
    timers: dict[int, Any] = field(default_factory=dict)

    def plant(self, number: int, behave: Behave) -> dict[str, Any]:
        """From now on, for `for_s` simulated seconds if it says so.

        raises  InjectionError when the fleet has no such model or replica
        """
        replicas = self._replicas(behave.model, behave.replicas)
        if not _changes(behave):
            raise InjectionError(f"behave changes nothing; it may change {', '.join(_CHANGES)}")
        self.room.behave(number, replicas, {**_changes(behave)})
        self.planted[number] = behave
        if behave.for_s is not None:
            self.timers[number] = self.room.later(behave.for_s, lambda: self.remove(number))
        return self.document(number)

    def remove(self, number: int) -> bool:
        """End one; False where there is none of that number."""
        timer = self.timers.pop(number, None)
        if timer is not None:
            timer.cancel()
        self.planted.pop(number, None)
        return self.room.unbehave(number)

    def document(self, number: int) -> dict[str, Any]:
        """As it is shown."""
        behave = self.planted[number]
        shown = {"model": behave.model, "replicas": list(behave.replicas), "for_s": behave.for_s}
        return {"id": number, "kind": KIND, **shown, **_changes(behave)}

    def restart(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Restart replicas at once: what they have is lost, and slots that hung requests hold are free again.

        raises  InjectionError
        """
        try:
            restart = msgspec.convert(fields, Restart, strict=False)
        except msgspec.ValidationError as problem:
            rules = dict.fromkeys(Restart.__struct_fields__, "")
            raise InjectionError(f"{RESTART}: {plainly(fields, problem, rules)}") from None
        replicas = self._replicas(restart.model, restart.replicas)
        self.room.restart(replicas)
        return {"kind": RESTART, "model": restart.model, "replicas": [replica.place for replica in replicas]}

    def _replicas(self, model: str, places: tuple[int, ...]) -> list[Replica]:
        names = [one.name for one in self.room.plan.models]
        if model not in names:
            raise InjectionError(f"there is no model {model!r}; there are {', '.join(names)}")
        known = self.room.simulation.pools[names.index(model)].replicas
        if any(not 0 <= place < len(known) for place in places):
            raise InjectionError(f"replicas of {model} are 0 to {len(known) - 1}")
        return [known[place] for place in places or range(len(known))]


def behave_from_text(text: str, model: str) -> Behave:
    """`behave:0+2:speed=0.3,…`; `all` names every replica, `model=…` another model than the given one.

    raises  InjectionError, also for `for_s`: what is there from the start on has no end
    """
    _, _, rest = text.partition(":")
    places, _, options = rest.partition(":")
    parts = [part.partition("=") for part in options.split(",") if part]
    fields = {"model": model} | {name.strip(): value.strip() for name, _, value in parts}
    if "for_s" in fields:
        raise InjectionError("behave: for_s is for /simulate/faults; what an option asks for lasts until it is deleted")
    return behave_from(fields | {"replicas": [] if places in {"", "all"} else places.split("+")})


def behave_from(fields: dict[str, Any]) -> Behave:
    """A change of behaviour from a parsed document; numbers may be texts.

    raises  InjectionError
    """
    try:
        behave = msgspec.convert({**fields, "kind": KIND, "at_s": 0.0}, Behave, strict=False)
    except msgspec.ValidationError as problem:
        rules = dict.fromkeys(("model", "replicas", *_CHANGES, "for_s"), "")
        raise InjectionError(f"{KIND}: {plainly(fields, problem, rules)}") from None
    _check_bounds(behave)
    return behave


def _check_bounds(behave: Behave) -> None:
    most = {"speed": _SPEED_MAX, "output_factor": _FACTOR_MAX, "for_s": _FOR_S_MAX}
    for name, largest in most.items():
        value = getattr(behave, name)
        if value is not None and not 0.0 <= value <= largest:
            raise InjectionError(f"behave: {name} must be in [0, {largest:,.0f}], got {value}")


def _changes(behave: Behave) -> dict[str, float]:
    return {name: value for name in _CHANGES if (value := getattr(behave, name)) is not None}
