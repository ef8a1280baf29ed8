"""A group of checked bodies becomes one commit; many decoded together cost little more than one."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from collector.ingest import NO_SPANS, Arrival, Ingestor
from collector.otlp.decode import decode_checked
from collector.otlp.normalise import Normaliser

Rejected = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Delivery:
    """One body on its way to the store.

    body         inflated and checked bytes, None for bodies that were refused before they could be read
    received_ns  when it came
    refused      those bodies, by reason; each counts as one record
    """

    body: bytes | None
    received_ns: int
    refused: Rejected = field(default_factory=dict)


Ready = tuple[Arrival, list[Rejected]]


@dataclass(slots=True)
class TraceCommit:
    """Normalises and commits groups of trace bodies: the work of a GroupCommitter."""

    normaliser: Normaliser
    ingestor: Ingestor

    def adopt(self, normaliser: Normaliser) -> None:
        """Prepare every later group with another normaliser; groups under way keep theirs. Thread-safe."""
        self.normaliser = normaliser

    def commit(self, ready: Ready) -> list[Rejected]:
        """Store a prepared group; returns per delivery which of its spans were rejected, by reason.

        raises  StoreUnavailableError when the store cannot take it
        """
        arrival, rejected = ready
        self.ingestor.commit(arrival)
        return rejected

    def prepare(self, bodies: Sequence[Delivery]) -> Ready:
        """The group as rows, and per delivery what was rejected. Pure: touches no store."""
        checked = [delivery.body for delivery in bodies if delivery.body is not None]
        total: Counter[str] = Counter()
        for delivery in bodies:
            total.update(delivery.refused)
        if not checked:
            return Arrival(NO_SPANS, total, len(bodies)), [{} for _ in bodies]
        received_ns = max(delivery.received_ns for delivery in bodies)
        normalised = self.normaliser.normalise(decode_checked(checked), received_ns)
        for reasons in normalised.rejected:
            total.update(reasons)
        answers = iter(normalised.rejected)
        rejected = [{} if delivery.body is None else next(answers) for delivery in bodies]
        return Arrival(normalised.spans, total, len(checked)), rejected
