"""The OTLP endpoint answers as the specification says; nothing is acknowledged before it is committed."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from starlette.applications import Starlette
from starlette.requests import Request

from bench.harness.bodies import template
from collector.group_commit import GroupCommitter, GroupLimits
from collector.ingest import NO_SPANS, Arrival
from collector.otlp.decode import decode_traces
from collector.otlp.normalise import Normaliser
from collector.otlp.privacy import Privacy
from collector.receive import HOLLOW_MAX, HollowError, Receiver, refuse_hollow
from collector.trace_commit import Delivery, Ready, Rejected
from vocabulary.errors import StoreUnavailableError

Post = Callable[..., httpx.Response]
_LIMIT = 20_000


def body(spans: int = 1, span_id: bytes = b"") -> bytes:
    """A body of spans; `span_id` overrides the last one's."""
    request = ExportTraceServiceRequest()
    scope = request.resource_spans.add().scope_spans.add()
    for number in range(1, spans + 1):
        scope.spans.add(
            trace_id=bytes(15) + b"\1", span_id=number.to_bytes(8, "big"), name="x", start_time_unix_nano=10**18
        )
    if span_id:
        scope.spans[-1].span_id = span_id
    return bytes(request.SerializeToString())


class _House:
    """A receiver in front of a commit that remembers and can fail."""

    def __init__(self) -> None:
        self.committed: list[Delivery] = []
        self.error: Exception | None = None
        self.waiting: list[Delivery] = []
        self.workers = ThreadPoolExecutor(1)
        self.committer = GroupCommitter(self, GroupLimits(linger_s=0, queued_bytes_max=100_000))
        self.normaliser = Normaliser(Privacy(b"salt"))
        self.receiver = Receiver(self.committer, self.workers, lambda: 5, _LIMIT)
        self.app = Starlette(routes=self.receiver.routes())

    def prepare(self, bodies: Sequence[Delivery]) -> Ready:
        """Rejected spans per body; the deliveries are remembered at the commit."""
        self.waiting = list(bodies)
        return Arrival(NO_SPANS), [self.rows(delivery)[1] for delivery in bodies]

    def commit(self, ready: Ready) -> list[Rejected]:
        """Fails when told to."""
        if self.error:
            raise self.error
        self.committed.extend(self.waiting)
        return ready[1]

    def rows(self, delivery: Delivery) -> tuple[int, Rejected]:
        """Spans kept of a delivery, and what was rejected."""
        if delivery.body is None:
            return 0, {}
        normalised = self.normaliser.normalise(decode_traces(delivery.body), 5)
        return normalised.spans.num_rows, normalised.rejected[0]

    def post(self, content: bytes, **headers: str) -> httpx.Response:
        sent = {
            "content-type": "application/x-protobuf",
            **{key.replace("_", "-"): value for key, value in headers.items()},
        }

        async def send() -> httpx.Response:
            async with httpx.AsyncClient(
                transport=httpx.ASGITransport(self.app), base_url="http://localhost"
            ) as client:
                return await client.post("/v1/traces", content=content, headers=sent)

        return asyncio.run(send())

    def close(self) -> None:
        self.committer.close()
        self.workers.shutdown()


@pytest.fixture
def house() -> Iterator[_House]:
    """A receiver of its own for each test."""
    built = _House()
    yield built
    built.close()


def test_full_success_is_an_empty_answer_after_the_commit(house: _House) -> None:
    answer = house.post(body(3))
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-type"] == "application/x-protobuf"
    assert house.rows(house.committed[0])[0] == 3


def test_an_empty_body_is_a_valid_empty_export(house: _House) -> None:
    assert (house.post(b"").status_code, house.post(b"").content) == (200, b"")


def test_one_bad_span_does_not_cost_its_neighbours(house: _House) -> None:
    answer = house.post(body(3, span_id=bytes(8)))
    partial = ExportTraceServiceResponse.FromString(answer.content).partial_success
    assert (answer.status_code, partial.rejected_spans) == (200, 1)
    assert house.rows(house.committed[0])[0] == 2


@pytest.mark.parametrize(
    "media_type", ["application/x-protobuf; charset=utf-8", "Application/X-Protobuf", "application/protobuf"]
)
def test_content_types_are_read_leniently(house: _House, media_type: str) -> None:
    assert house.post(body(), content_type=media_type).status_code == 200


@pytest.mark.parametrize("media_type", ["text/plain", "application/json"])
def test_another_content_type_is_415_with_a_status(house: _House, media_type: str) -> None:
    answer = house.post(body(), content_type=media_type)
    assert answer.status_code == 415
    assert "application/x-protobuf" in (
        answer.text if "json" in media_type else Status.FromString(answer.content).message
    )


def test_gzip_is_inflated(house: _House) -> None:
    assert house.post(gzip.compress(body(5)), content_encoding="gzip").status_code == 200
    assert house.rows(house.committed[0])[0] == 5


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (b"\xff\xff\xff", {}, 400),
        (gzip.compress(body(5))[:-9], {"content_encoding": "gzip"}, 400),
        (b"no gzip", {"content_encoding": "gzip"}, 400),
        (body(), {"content_encoding": "snappy"}, 415),
        (bytes(_LIMIT + 1), {}, 413),
        (gzip.compress(bytes(_LIMIT * 50)), {"content_encoding": "gzip"}, 413),
    ],
)
def test_bad_bodies_are_refused_for_good(house: _House, content: bytes, headers: dict[str, str], status: int) -> None:
    answer = house.post(content, **headers)
    assert answer.status_code == status
    assert Status.FromString(answer.content).message
    assert "retry-after" not in answer.headers
    assert house.committed == []
    assert house.committer.queued_bytes == 0


def test_a_failing_store_is_503_with_retry_after(house: _House) -> None:
    house.error = StoreUnavailableError("disk full")
    answer = house.post(body())
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert Status.FromString(answer.content).message == "disk full"


def test_a_full_queue_is_503_with_retry_after(house: _House) -> None:
    house.committer.admit(99_999)
    assert house.post(body(3)).status_code == 503
    house.committer.release(99_999)
    assert house.post(body(3)).status_code == 200


def test_a_body_that_breaks_the_commit_is_500_and_not_retried(house: _House) -> None:
    house.error = ZeroDivisionError()
    assert house.post(body()).status_code == 500


def test_refused_bodies_enter_the_ledger_once(house: _House) -> None:
    house.post(b"\xff\xff\xff")
    house.post(body(), content_type="text/plain")
    house.receiver.enter_refused()
    house.receiver.enter_refused()
    assert [dict(delivery.refused) for delivery in house.committed] == [{"undecodable": 1, "unsupported_media_type": 1}]


def test_refused_bodies_are_kept_while_the_store_fails(house: _House) -> None:
    house.post(b"\xff\xff\xff")
    house.error = StoreUnavailableError("disk full")
    with pytest.raises(StoreUnavailableError):
        house.receiver.enter_refused()
    house.error = None
    house.receiver.enter_refused()
    assert house.committed[0].refused == {"undecodable": 1}


def test_get_is_not_allowed(house: _House) -> None:
    async def get() -> int:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(house.app), base_url="http://localhost") as client:
            return (await client.get("/v1/traces")).status_code

    assert asyncio.run(get()) == 405


@pytest.mark.parametrize("empty", [b"\x0a\x00", b"\x12\x00"])
def test_a_body_of_empty_messages_is_refused_before_it_is_decoded(empty: bytes) -> None:
    with pytest.raises(HollowError):
        refuse_hollow(empty * (HOLLOW_MAX + 1) + bytes(4 * HOLLOW_MAX))
    refuse_hollow(empty * HOLLOW_MAX)
    refuse_hollow(template(500).fresh(1))


def test_a_sender_that_falls_silent_gives_its_room_back(house: _House) -> None:
    house.receiver.silence_max_s = 0.05

    async def slow() -> AsyncIterator[bytes]:
        yield b"half a body"
        await asyncio.sleep(5)
        yield b"never"

    async def send() -> int:
        scope = {"type": "http", "method": "POST", "path": "/v1/traces", "query_string": b"", "headers": []}
        pieces = slow()

        async def receive() -> Any:
            return {"type": "http.request", "body": await anext(pieces), "more_body": True}

        headers = [(b"content-type", b"application/x-protobuf")]
        answer = await house.receiver.traces(Request({**scope, "headers": headers}, receive))
        return answer.status_code

    assert asyncio.run(send()) == 408
    assert house.committer.queued_bytes == 0
