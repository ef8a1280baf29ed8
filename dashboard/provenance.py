"""Where a canonical field of a request came from: which span told it, under which attribute name."""

from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.questions.answers import SpanRecord
from vocabulary.fields import Field, Preference
from vocabulary.roles import ENGINE_FIRST, GATEWAY_FIRST


@dataclass(frozen=True, slots=True)
class Source:
    """attribute  the emitter's own name, role  the hop that told it"""

    attribute: str
    role: str


def source_of(field: Field, value: object, spans: Sequence[SpanRecord]) -> Source | None:
    """The first hop in the field's order of preference that knows this very value; None when none does.

    A token count that was added over attempts may match no single span; then the first that knows the field is named.
    """
    order = ENGINE_FIRST if field.prefer is Preference.ENGINE else GATEWAY_FIRST
    rank = {str(role): place for place, role in enumerate(order)}
    telling = [span for span in spans if field.name in span.fields and span.hop_role in rank]
    telling.sort(key=lambda span: rank[span.hop_role])
    exact = [span for span in telling if span.fields[field.name] == value]
    for span in exact or (telling if field.summed else []):
        return Source(span.sources.get(field.name, ""), span.hop_role)
    return None
