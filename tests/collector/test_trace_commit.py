"""A group of bodies is normalised together; each body learns what was rejected of it."""

from collector.ingest import Ingestor
from collector.otlp.alias_tables import Source, extended
from collector.otlp.normalise import Normaliser
from collector.otlp.privacy import Privacy
from collector.trace_commit import Delivery, TraceCommit
from store.telemetry.open import Telemetry
from tests.collector.test_receive import body
from tests.factories.otlp import request, span
from vocabulary.fields import BY_NAME
from vocabulary.pools import Window


class _Clean:
    def mark(self, pool_minutes: object, version: int) -> None:
        """Nothing is rolled up here."""


def _commit(telemetry: Telemetry) -> TraceCommit:
    ingestor = Ingestor(telemetry.writer, telemetry.reader, _Clean(), lambda: 10**18, salt=5)
    return TraceCommit(Normaliser(Privacy(b"salt")), ingestor)


def _delivery(content: bytes) -> Delivery:
    return Delivery(content, 10**18)


def test_each_body_learns_what_was_rejected_of_it(telemetry: Telemetry) -> None:
    good, bad, empty = body(2), body(3, span_id=bytes(8)), b""
    refused = Delivery(None, 10**18, {"undecodable": 4})
    commit = _commit(telemetry)
    answers = commit.commit(commit.prepare([_delivery(good), refused, _delivery(bad), _delivery(empty)]))
    assert answers == [{}, {}, {"invalid_span_id": 1}, {}]
    ledger = telemetry.reader.ingest_ledger(Window(10**18 - 1, 10**18 + 1))["traces"]
    assert {reason: count for reason, count in ledger.reasons.items() if count} == {
        "stored": 2,
        "duplicate": 2,
        "invalid_span_id": 1,
        "undecodable": 4,
    }


def test_a_group_is_stored_as_the_same_rows_as_its_bodies_alone(telemetry: Telemetry) -> None:
    commit = _commit(telemetry)
    together, _ = commit.prepare([_delivery(body(2)), _delivery(body(3))])
    alone = [commit.prepare([_delivery(body(count))])[0].spans.to_pylist() for count in (2, 3)]
    assert together.spans.to_pylist() == alone[0] + alone[1]
    assert together.bodies == 2


def test_an_adoption_holds_for_later_groups_and_leaves_those_under_way_as_they_are(telemetry: Telemetry) -> None:
    commit = _commit(telemetry)
    told = [request(span(number, attributes={"acme.node": "n7"})).SerializeToString() for number in (1, 2)]
    before = commit.prepare([_delivery(told[0])])
    commit.adopt(Normaliser(Privacy(b"salt"), extended([Source(0, BY_NAME["node"], "acme.node")])))
    after = commit.prepare([_delivery(told[1])])
    commit.commit(before)
    commit.commit(after)
    stored, _ = telemetry.reader.spans((1).to_bytes(16, "big"), 10)
    rows = {row["span_id"][-1]: row for row in stored.to_pylist()}
    assert [rows[1]["node"], rows[2]["node"]] == ["", "n7"]
    assert [dict(rows[1]["attr_text"]), rows[2]["attr_text"]] == [{"acme.node": "n7"}, []]
