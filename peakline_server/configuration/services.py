"""Service definitions as the file has them, and as `vocabulary.services` knows them."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from peakline_server.configuration.kinds import Duration, Share, Word
from vocabulary import services
from vocabulary.outcomes import DEFECT_NAMES, DefectKind
from vocabulary.services import ALL_KINDS, ServiceBook

Name = Annotated[str, Field(min_length=1, max_length=200)]
Price = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


def _kind(word: object) -> str:
    """A kind of defect by its name.

    raises  ValueError that lists the kinds
    """
    if word not in DEFECT_NAMES:
        raise ValueError(f"one of {', '.join(DEFECT_NAMES)} is wanted here")
    return str(word)


def _some(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """A service where nothing counts would always be well.

    raises  ValueError when there are none
    """
    if not kinds:
        raise ValueError("one kind at least must count")
    return kinds


class Objectives(_Entry):
    """Latencies that a completed request keeps to; a later one is `slow`."""

    ttft: Duration | None = Field(default=None, description="Until the first token.")
    e2e: Duration | None = Field(default=None, description="Until the end.")

    def known(self) -> services.Objectives:
        """In seconds."""
        ttft, e2e = (None if length is None else length.total_seconds() for length in (self.ttft, self.e2e))
        return services.Objectives(ttft_s=ttft, e2e_s=e2e)


class TieredObjectives(Objectives):
    """Of the service, and what its tiers have otherwise."""

    tiers: dict[Name, Objectives] = Field(default={}, description="Service tier -> its own objectives.")


class Prices(_Entry):
    """What a million tokens cost."""

    input_per_million: Price = Field(description="Input tokens.")
    cached_input_per_million: Price | None = Field(default=None, description="Input tokens that a prefix cache served.")
    output_per_million: Price = Field(description="Output tokens.")
    currency: Annotated[str, Field(min_length=1, max_length=8)] = Field(default="USD", description="As it is shown.")


class Service(_Entry):
    """What holds for the pools whose service and model match; `*` stands for any characters."""

    service: Name = Field(default="*", description="Service name, with `*` for any characters.")
    model: Name = Field(default="*", description="Model name, with `*` for any characters.")
    tiers: dict[Name, Share] = Field(default={}, description="Service tier -> highest defect rate that it accepts.")
    defects: Annotated[tuple[Annotated[str, BeforeValidator(_kind)], ...], AfterValidator(_some)] | None = Field(
        default=None, description="Kinds of defect that count in rates; all when not given."
    )
    objectives: TieredObjectives = Field(default=TieredObjectives(), description="Latency objectives.")
    prices: Prices | None = Field(default=None, description="Prices of tokens.")

    def known(self) -> services.ServiceDefinition:
        """As the rest of the product knows it."""
        prices = None if self.prices is None else services.Prices(**self.prices.model_dump())
        return services.ServiceDefinition(
            service=self.service,
            model=self.model,
            risk_thresholds=dict(self.tiers),
            counted=_counted(self.defects),
            objectives=self.objectives.known(),
            tier_objectives={name: told.known() for name, told in self.objectives.tiers.items()},
            prices=prices,
        )


Services = Annotated[tuple[Service, ...], Word("list of service definitions")]


def service_book(definitions: Sequence[Service]) -> ServiceBook:
    """All definitions of a configuration."""
    return ServiceBook(tuple(one.known() for one in definitions))


def _counted(names: Sequence[str] | None) -> DefectKind:
    if names is None:
        return ALL_KINDS
    counted = DefectKind(0)
    for name in names:
        counted |= DefectKind[name.upper()]
    return counted
