"""Decoded OTLP to the spans table: canonical columns, typed maps, quality; content and secrets reduced on the way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from collector.otlp.alias_tables import AliasTables, alias_tables
from collector.otlp.body import Body
from collector.otlp.decode import decode_traces
from collector.otlp.envelope import open_envelope
from collector.otlp.privacy import Privacy
from collector.otlp.resources import Memory
from store.telemetry.columns import SPANS

OUTPUT: pa.Schema = pa.schema([column for column in SPANS if column.name != "commit_seq"])
_NAMES: tuple[str, ...] = tuple(OUTPUT.names)


@dataclass(frozen=True)
class Normalised:
    """Bodies, ready to be stored.

    spans     OUTPUT columns: columns.SPANS without commit_seq
    rejected  per body, reason -> spans left out: invalid_trace_id, invalid_span_id
    """

    spans: pa.Table
    rejected: Sequence[Mapping[str, int]] = ()


class Normaliser:
    """Turns decoded bodies into rows. Pure but for what it remembers of resources; thread-safe.

    tables  what attributes mean, the packaged tables if absent; for others, make another normaliser
    """

    def __init__(self, privacy: Privacy, tables: AliasTables | None = None) -> None:
        self._privacy = privacy
        self._memory = Memory(privacy, tables or alias_tables())
        self._warm_up()

    def _warm_up(self) -> None:
        """Read the tables and load what Arrow loads late, so that the first sender does not wait a second for it."""
        one = ExportTraceServiceRequest()
        span = one.resource_spans.add().scope_spans.add().spans.add(trace_id=b"t" * 16, span_id=b"s" * 8)
        span.attributes.add(key="warm.up")
        self.normalise(decode_traces(one.SerializeToString()), 0)

    def normalise(self, decoded: pa.RecordBatch, received_ns: int) -> Normalised:
        """Rows of decoded bodies; many at once cost little more than one.

        decoded      what `decode_traces` returned, one row a body
        received_ns  time of arrival, written into every row
        """
        envelope = open_envelope(decoded)
        if not len(envelope.spans):
            return Normalised(OUTPUT.empty_table(), envelope.rejected)
        columns = Body(envelope, self._privacy, self._memory).columns(received_ns)
        return Normalised(pa.Table.from_arrays([columns[name] for name in _NAMES], schema=OUTPUT), envelope.rejected)
