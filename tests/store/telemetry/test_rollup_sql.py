import math

import pytest
from sqlalchemy import func, literal, select

from store.telemetry import rollup_sql as sql
from store.telemetry.columns import REQUESTS
from store.telemetry.open import Telemetry
from store.telemetry.rollup_sql import READ_COLUMNS, Chunk
from tests.factories.stores import START_NS
from tests.store.snapshot import assert_statement
from vocabulary.outcomes import DefectKind
from vocabulary.pools import MINUTE_NS, Pool
from vocabulary.services import ServiceBook, ServiceDefinition

CHUNK = Chunk(START_NS, START_NS + MINUTE_NS, (Pool("a", "m"), Pool("b", "m")))
NARROW = ServiceBook(
    (
        ServiceDefinition("a", "m*", counted=DefectKind.ERROR | DefectKind.TIMEOUT),
        ServiceDefinition("b", "m"),
        ServiceDefinition("*", "*", counted=DefectKind.SLOW),
    )
)


@pytest.mark.parametrize("seconds", [1e-9, 0.001, 0.37, 1.0, 1.05, 42.0, 1e6])
def test_a_sketch_holds_a_value_in_the_bucket_of_its_logarithm(telemetry: Telemetry, seconds: float) -> None:
    (row,) = telemetry.reads.rows(select(sql.sketch(literal(seconds)).label("sketch")))
    assert dict(row["sketch"]) == {math.ceil(math.log(seconds) / math.log(1.1)): 1}


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.inf, math.nan])
def test_a_sketch_leaves_out_what_is_no_positive_duration(telemetry: Telemetry, seconds: float) -> None:
    value = func.toFloat64(str(seconds))
    (row,) = telemetry.reads.rows(select(sql.sketch(value).label("sketch")))
    assert dict(row["sketch"]) == {}


def test_a_rebuild_reads_request_columns_only() -> None:
    assert set(READ_COLUMNS) <= set(REQUESTS.names)


def test_statements_are_those_of_the_snapshots(telemetry: Telemetry) -> None:
    shown = {
        "rollup_rebuild": sql.rebuild(CHUNK, 8, ServiceBook()),
        "rollup_rebuild_counted": sql.rebuild(CHUNK, 8, NARROW),
        "rollup_emptied": sql.emptied(CHUNK, 8, 7),
        "rollup_uncommitted": sql.uncommitted(7),
        "rollup_superseded": sql.superseded(7),
        "rollup_row_counts": sql.rows_and_current_rows(7),
        "rollup_sizes": sql.sizes(START_NS, START_NS + MINUTE_NS),
        "rollup_last_ends": sql.last_ends(START_NS, START_NS + MINUTE_NS),
        "rollup_cells_after": sql.cells_after(41, 50),
    }
    for name, statement in shown.items():
        assert_statement(name, telemetry.writes, statement)
