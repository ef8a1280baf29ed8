"""A group of decoded bodies becomes one commit: normalised together, because many cost little more than one."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from collector.ingest import NO_SPANS, Arrival, Ingestor
from collector.otlp.normalise import Normaliser

Rejected = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Delivery:
    """One body on its way to the store.

    decoded      one row, None for bodies that were refused before they could be read
    received_ns  when it came
    refused      those bodies, by reason; each counts as one record
    """

    decoded: pa.RecordBatch | None
    received_ns: int
    refused: Rejected = field(default_factory=dict)


Ready = tuple[Arrival, list[Rejected]]


@dataclass(frozen=True, slots=True)
class TraceCommit:
    """Normalises and commits groups of trace bodies: the work of a GroupCommitter."""

    normaliser: Normaliser
    ingestor: Ingestor

    def commit(self, ready: Ready) -> list[Rejected]:
        """Store a prepared group; returns per delivery which of its spans were rejected, by reason.

        raises  StoreUnavailableError when the store cannot take it
        """
        arrival, rejected = ready
        self.ingestor.commit(arrival)
        return rejected

    def prepare(self, bodies: Sequence[Delivery]) -> Ready:
        """The group as rows, and per delivery what was rejected. Pure: touches no store."""
        decoded = [delivery.decoded for delivery in bodies if delivery.decoded is not None]
        total: Counter[str] = Counter()
        for delivery in bodies:
            total.update(delivery.refused)
        if not decoded:
            return Arrival(NO_SPANS, total, len(bodies)), [{} for _ in bodies]
        received_ns = max(delivery.received_ns for delivery in bodies)
        normalised = self.normaliser.normalise(pa.concat_batches(decoded), received_ns)
        for reasons in normalised.rejected:
            total.update(reasons)
        answers = iter(normalised.rejected)
        rejected = [{} if delivery.decoded is None else next(answers) for delivery in bodies]
        return Arrival(normalised.spans, total, len(decoded)), rejected
