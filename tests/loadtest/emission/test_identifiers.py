"""Ids are hashes: equal plans give equal ones, nothing else does."""

from loadtest.emission.identifiers import Identifiers
from tests.factories.clusters import asking
from tests.factories.emissions import emission_plan

PLAN = emission_plan()
MANY = 2_000


def test_no_two_ids_are_equal() -> None:
    identifiers = Identifiers(PLAN)
    spans: set[bytes] = set()
    traces: set[bytes] = set()
    for request in map(asking, range(MANY)):
        ids = identifiers.of_request(request)
        traces.add(ids.trace_id)
        spans |= {ids.gateway_span_id, ids.engine_span_id}
        spans |= {identifiers.of_call(request, ids, place) for place in range(4)}
        spans |= {identifiers.of_attempt(request, place) for place in range(2)}
    assert (len(traces), len(spans)) == (MANY, 8 * MANY)


def test_ids_are_those_of_seed_and_origin() -> None:
    request = asking(7)
    again = Identifiers(emission_plan()).of_request(request)
    assert Identifiers(PLAN).of_request(request) == again
    assert Identifiers(emission_plan(seed=2)).of_request(request) != again
    assert Identifiers(emission_plan(origin_ns=3_600_000_000_000)).of_request(request) != again


def test_ids_have_the_lengths_of_the_protocol() -> None:
    identifiers = Identifiers(PLAN)
    request = asking(1 << 60)
    ids = identifiers.of_request(request)
    lengths = [len(part) for part in (ids.trace_id, ids.gateway_span_id, ids.engine_span_id, ids.request_id)]
    assert lengths == [16, 8, 8, 32]
    assert {len(identifiers.of_call(request, ids, place)) for place in range(4)} == {8}
    assert len(identifiers.of_attempt(request, 0)) == 8


def test_turns_of_a_conversation_share_its_id() -> None:
    identifiers = Identifiers(PLAN)
    assert identifiers.of_conversation(5) == Identifiers(PLAN).of_conversation(5)
    assert len({identifiers.of_conversation(session) for session in range(MANY)}) == MANY
    assert bytes.fromhex(identifiers.of_conversation(5).decode())
