from collections.abc import Sequence

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, literal, select

from store.telemetry.counted_kinds import branches_of, fits, is_defective
from store.telemetry.open import Telemetry
from store.telemetry.tables import requests as requests_table
from tests.factories.stores import request, requests
from vocabulary.outcomes import DefectKind
from vocabulary.pools import Pool
from vocabulary.services import ALL_KINDS, ServiceBook, ServiceDefinition

HARD = DefectKind.ERROR | DefectKind.TIMEOUT
NAMES = st.text(alphabet="ab%_\\*?.[]'\n界", max_size=4)


def defective(telemetry: Telemetry, services: ServiceBook) -> dict[tuple[str, str, int], bool]:
    """Every stored (service, model, defects), and whether the store says that it counts."""
    c = requests_table.c
    found = telemetry.reads.rows(select(c.service, c.model, c.defects, is_defective(c, services).label("counts")))
    return {(row["service"], row["model"], row["defects"]): bool(row["counts"]) for row in found}


def put(telemetry: Telemetry, pools: Sequence[tuple[str, str]]) -> None:
    rows = [
        request(service=service, model=model, defects=int(kind))
        for service, model in pools
        for kind in (DefectKind(0), *DefectKind, HARD)
    ]
    telemetry.writer.append_requests(requests(*rows))


def as_the_book_says(services: ServiceBook, service: str, model: str, defects: int) -> bool:
    return bool(defects & services.counted(Pool(service, model)))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(NAMES, min_size=1, max_size=20), pattern=NAMES)
def test_the_store_matches_patterns_as_the_vocabulary_does(
    telemetry: Telemetry, names: list[str], pattern: str
) -> None:
    asked = [func.toUInt8(fits(literal(name), pattern)).label(f"n{at}") for at, name in enumerate(names)]
    (row,) = telemetry.reads.rows(select(*asked))

    expected = [ServiceDefinition(pattern, "*").matches(Pool(name, "")) for name in names]
    assert [bool(value) for value in row.values()] == expected


PATTERNS = st.sampled_from(["*", "a", "b", "a*", "*b", "ab"])
KINDS = st.sampled_from([ALL_KINDS, HARD, DefectKind.SLOW, DefectKind(0)])
BOOKS = st.lists(st.tuples(PATTERNS, PATTERNS, KINDS), max_size=6).map(
    lambda told: ServiceBook(tuple(ServiceDefinition(service, model, counted=kinds) for service, model, kinds in told))
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(services=BOOKS)
def test_the_store_counts_what_the_book_says(telemetry: Telemetry, services: ServiceBook) -> None:
    if not telemetry.reads.scalar(select(func.count()).select_from(requests_table)):
        put(telemetry, [(service, model) for service in ("", "a", "ab", "b", "x") for model in ("a", "ab", "")])
    found = defective(telemetry, services)
    assert found == {key: as_the_book_says(services, *key) for key in found}
    assert len(found) == 5 * 3 * 12


def test_a_request_with_a_counted_kind_among_others_counts(telemetry: Telemetry) -> None:
    telemetry.writer.append_requests(requests(request(defects=int(DefectKind.SLOW | DefectKind.ERROR))))
    services = ServiceBook((ServiceDefinition("chat", counted=HARD),))
    assert list(defective(telemetry, services).values()) == [True]


def test_a_statement_asks_for_no_more_than_decides() -> None:
    narrow, wide = ServiceDefinition("a", counted=HARD), ServiceDefinition("a*")
    everything = ServiceDefinition(counted=DefectKind.SLOW)
    assert branches_of(ServiceBook()) == ([], ALL_KINDS)
    assert branches_of(ServiceBook((wide, ServiceDefinition()))) == ([], ALL_KINDS)
    assert branches_of(ServiceBook((wide, narrow))) == ([narrow], ALL_KINDS)
    assert branches_of(ServiceBook((everything, narrow, wide))) == ([narrow, wide], DefectKind.SLOW)
    assert branches_of(ServiceBook((everything, ServiceDefinition()))) == ([], DefectKind.SLOW)
