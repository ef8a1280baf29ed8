import pyarrow as pa

from store.telemetry import columns
from vocabulary.fields import CANONICAL, Kind
from vocabulary.outcomes import DEFECT_NAMES, Outcome


def test_an_unknown_text_is_empty_and_anything_else_unknown_is_null() -> None:
    for field in CANONICAL:
        assert columns.canonical_column(field).nullable is (field.kind is not Kind.TEXT)


def test_every_canonical_field_is_a_column_of_spans_and_of_requests() -> None:
    names = [field.name for field in CANONICAL]
    assert set(names) <= set(columns.HOPS.names) & set(columns.REQUESTS.names)


def test_hops_are_the_first_columns_of_spans() -> None:
    assert columns.SPANS.names[: len(columns.HOPS)] == columns.HOPS.names


def test_a_minute_counts_every_outcome_and_every_kind_of_defect() -> None:
    expected = {f"outcome_{outcome}" for outcome in Outcome} | {f"defect_{name}" for name in DEFECT_NAMES}
    assert expected <= set(columns.MINUTE_COUNTS)


def test_no_column_stands_twice() -> None:
    for schema in (columns.HOPS, columns.SPANS, columns.REQUESTS, columns.LEDGER):
        assert isinstance(schema, pa.Schema)
        assert len(set(schema.names)) == len(schema.names)
