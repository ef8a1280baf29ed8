"""Bodies arrive, or the reason why not is said."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path
from typing import Any

import httpx
import pytest
import trustme
import uvicorn
from fastapi import FastAPI, Response
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

from bench.harness.server import free_port
from peakline_server.client_token import Credentials
from peakline_server.delivery import Delivery, DeliveryError
from tests.factories.otlp_stub import Receiver, receiving


@dataclass(frozen=True)
class Body:
    payload: bytes


def body(number: int) -> Body:
    span = Span(trace_id=number.to_bytes(16, "big"), span_id=number.to_bytes(8, "big"), name=str(number))
    scope = ScopeSpans(spans=[span])
    return Body(ExportTraceServiceRequest(resource_spans=[ResourceSpans(scope_spans=[scope])]).SerializeToString())


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def delivery(receiver: Receiver, waits: list[float]) -> Iterator[Delivery]:
    one = Delivery(receiver.url, sleep=waits.append)
    yield one
    one.close()


def test_a_body_arrives_compressed_and_whole(receiver: Receiver, delivery: Delivery) -> None:
    assert delivery.post(body(1).payload) == 0
    assert [span.name for span in receiver.spans.values()] == ["1"]


@pytest.mark.parametrize("suffix", ["", "/", "/v1/traces", "/v1/traces/"])
def test_the_endpoint_may_name_the_path_or_not(suffix: str) -> None:
    one = Delivery("http://127.0.0.1:4318" + suffix)
    assert one.url == "http://127.0.0.1:4318/v1/traces"
    one.close()


def test_a_busy_server_is_asked_again_after_the_time_it_names(
    receiver: Receiver, delivery: Delivery, waits: list[float]
) -> None:
    receiver.script = [(503, {"Retry-After": "7"}), (429, {"Retry-After": "1.5"}), (503, {})]
    assert delivery.post(body(1).payload) == 0
    assert waits == [7.0, 1.5, 2.0]
    assert (receiver.exports, delivery.retries) == (4, 3)


def test_a_date_in_retry_after_is_understood_and_bounded(
    receiver: Receiver, delivery: Delivery, waits: list[float]
) -> None:
    receiver.script = [
        (503, {"Retry-After": formatdate(usegmt=True)}),
        (503, {"Retry-After": "Wed, 21 Oct 2099 07:28:00 GMT"}),
        (503, {"Retry-After": "soon"}),
    ]
    delivery.post(body(1).payload)
    assert waits == [0.05, 30.0, 2.0]


def test_patience_is_bounded(receiver: Receiver, waits: list[float]) -> None:
    receiver.script = [(503, {"Retry-After": "20"})] * 10
    delivery = Delivery(receiver.url, patience_s=50, sleep=waits.append)
    with pytest.raises(DeliveryError, match=r"did not take a body within 50 s: it answered 503"):
        delivery.post(body(1).payload)
    delivery.close()
    assert waits == [20.0, 20.0]


def test_a_refusal_is_told_with_the_servers_words_and_not_repeated(receiver: Receiver, delivery: Delivery) -> None:
    receiver.script = [(400, {})]
    with pytest.raises(DeliveryError, match="refused a body with 400: so the script says"):
        delivery.post(body(1).payload)
    assert receiver.exports == 1


def test_rejected_spans_are_reported(receiver: Receiver, delivery: Delivery) -> None:
    receiver.rejects = 3
    assert delivery.post(body(1).payload) == 3


def test_no_server_is_one_sentence() -> None:
    delivery = Delivery(f"http://127.0.0.1:{free_port()}")
    with pytest.raises(DeliveryError, match=r"no Peakline server answers at .*peakline serve"):
        delivery.post(b"")
    delivery.close()


def test_a_lost_connection_is_tried_again(waits: list[float]) -> None:
    with receiving() as receiver:
        delivery = Delivery(receiver.url, patience_s=3, sleep=waits.append)
        delivery.post(body(1).payload)
    with pytest.raises(DeliveryError, match="the connection was lost"):
        delivery.post(body(2).payload)
    delivery.close()
    assert waits == [0.5, 1.0]


def test_many_bodies_go_side_by_side_and_come_back_in_order(receiver: Receiver, delivery: Delivery) -> None:
    bodies = [body(number) for number in range(1, 40)]
    assert list(delivery.post_all(bodies, 4)) == [(one, 0) for one in bodies]
    assert len(receiver.spans) == 39


def test_the_source_is_asked_only_when_there_is_room(receiver: Receiver, delivery: Delivery) -> None:
    asked: list[int] = []

    def source() -> Iterator[Body]:
        for number in range(1, 10):
            asked.append(number)
            yield body(number)

    delivered = delivery.post_all(source(), 2)
    next(delivered)
    assert len(asked) == 2
    assert len(list(delivered)) == 8


def answering(seen: list[str], metrics_status: int) -> httpx.MockTransport:
    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.url.path)
        return httpx.Response(metrics_status if request.url.path == "/v1/metrics" else 200)

    return httpx.MockTransport(answer)


@pytest.mark.parametrize("endpoint", ["http://here:4318", "http://here:4318/", "http://here:4318/v1/traces"])
def test_each_signal_has_its_path(endpoint: str) -> None:
    seen: list[str] = []
    delivery = Delivery(endpoint, transport=answering(seen, 200))
    delivery.post(b"")
    delivery.post(b"", "metrics")
    delivery.close()
    assert seen == ["/v1/traces", "/v1/metrics"]


def test_a_signal_that_may_be_lacking_is_asked_for_once() -> None:
    seen: list[str] = []
    delivery = Delivery("http://here:4318", transport=answering(seen, 404), may_lack={"metrics"})
    assert [delivery.post(b"", "metrics") for _ in range(3)] == [0, 0, 0]
    delivery.close()
    assert (delivery.absent, seen) == ({"metrics"}, ["/v1/metrics"])


def test_a_lacking_path_is_a_refusal_otherwise() -> None:
    delivery = Delivery("http://here:4318", transport=answering([], 404))
    with pytest.raises(DeliveryError, match=r"/v1/metrics refused a body with 404"):
        delivery.post(b"", "metrics")
    delivery.close()


@pytest.mark.parametrize("told", ["nan", "soon", "Mon, 01 Jan 0001 00:00:00 +2300"])
def test_a_retry_after_without_sense_is_passed_over(
    receiver: Receiver, delivery: Delivery, waits: list[float], told: str
) -> None:
    receiver.script = [(503, {"Retry-After": told})]
    delivery.post(body(1).payload)
    assert len(waits) == 1
    assert 0.05 <= waits[0] <= 0.5


def test_a_body_that_is_not_taken_is_given_up_at_the_stop(receiver: Receiver) -> None:
    stop = threading.Event()
    delivery = Delivery(receiver.url, stop=stop, sleep=lambda _: stop.set())
    receiver.script = [(503, {})] * 9
    with pytest.raises(DeliveryError, match=r"stopped while http://.*/v1/traces did not take a body: it answered 503"):
        delivery.post(body(1).payload)
    assert delivery.retries == 1
    delivery.close()


def test_time_that_attempts_take_counts_as_patience() -> None:
    def hang(request: httpx.Request) -> httpx.Response:
        time.sleep(0.3)
        raise httpx.ReadTimeout("no answer", request=request)

    delivery = Delivery("http://here:4318", patience_s=0.7, sleep=lambda _: None, transport=httpx.MockTransport(hang))
    with pytest.raises(DeliveryError, match=r"within 0.7 s: the connection was lost \(ReadTimeout\)"):
        delivery.post(b"")
    assert delivery.retries == 0
    delivery.close()


def test_an_answer_that_is_no_otlp_names_the_address() -> None:
    page = httpx.MockTransport(lambda _: httpx.Response(200, content=b"<html>"))
    delivery = Delivery("http://here:4318", transport=page)
    with pytest.raises(DeliveryError, match="what answers at http://here:4318/v1/traces speaks no OTLP"):
        delivery.post(b"")
    delivery.close()


def refusing(status: int, seen: list[str]) -> httpx.MockTransport:
    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers.get("authorization", ""))
        return httpx.Response(status, content=b"\x12\x0bno entrance" if status != httpx.codes.OK else b"")

    return httpx.MockTransport(answer)


def test_a_token_goes_with_every_body() -> None:
    seen: list[str] = []
    delivery = Delivery("http://here:4318", transport=refusing(200, seen), credentials=Credentials("pkl_a"))
    delivery.post(b"")
    delivery.post(b"", "metrics")
    delivery.close()
    assert seen == ["Bearer pkl_a", "Bearer pkl_a"]


@pytest.mark.parametrize(
    ("credentials", "status", "said"),
    [
        (Credentials(), 401, r"^the server at http://here:4318 wants a token: set PEAKLINE_TOKEN.*--role ingest`$"),
        (
            Credentials("pkl_a"),
            401,
            "^the token in PEAKLINE_TOKEN .* is not valid, expired or revoked, says",
        ),
        (Credentials("pkl_a"), 403, "refuses this: no entrance"),
    ],
)
def test_a_refused_caller_is_told_once_what_to_do(credentials: Credentials, status: int, said: str) -> None:
    seen: list[str] = []
    delivery = Delivery("http://here:4318", transport=refusing(status, seen), credentials=credentials)
    with pytest.raises(DeliveryError, match=said):
        delivery.post(b"")
    delivery.close()
    assert (len(seen), delivery.retries) == (1, 0)


def taken() -> Response:
    return Response()


def test_a_certificate_of_a_private_authority_needs_its_file(tmp_path: Path) -> None:
    authority, app = trustme.CA(), FastAPI()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    app.add_api_route("/v1/traces", taken, methods=["POST"])
    with served_over_tls(app, authority, tmp_path) as url:
        trusting = Delivery(url, credentials=Credentials("pkl_a", tmp_path / "ca.pem"))
        assert trusting.post(b"") == 0
        trusting.close()
        other = Delivery(url, credentials=Credentials("pkl_a"))
        with pytest.raises(
            DeliveryError, match=r"certificate .* cannot be verified; name its authority with --ca-file"
        ):
            other.post(b"")
        other.close()


def test_a_receiver_that_wants_a_client_certificate_gets_it_or_is_not_tried_again(tmp_path: Path) -> None:
    authority, app = trustme.CA(), FastAPI()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    authority.issue_cert("a.example").private_key_and_cert_chain_pem.write_to_path(str(tmp_path / "client.pem"))
    app.add_api_route("/v1/traces", taken, methods=["POST"])
    with served_with_client_certificates(app, authority, tmp_path) as url:
        showing = Delivery(url, credentials=Credentials("", tmp_path / "ca.pem", tmp_path / "client.pem"))
        assert showing.post(b"") == 0
        showing.close()
        bare = Delivery(url, credentials=Credentials("", tmp_path / "ca.pem"))
        with pytest.raises(DeliveryError, match=r"ended the TLS handshake; it may want .*: --client-certificate FILE"):
            bare.post(b"")
        bare.close()
        assert bare.retries == 0


@contextmanager
def served_with_client_certificates(app: FastAPI, authority: trustme.CA, folder: Path) -> Iterator[str]:
    with served_over_tls(app, authority, folder, ssl_ca_certs=str(folder / "ca.pem"), ssl_cert_reqs=2) as url:
        yield url


@contextmanager
def served_over_tls(app: FastAPI, authority: trustme.CA, folder: Path, **options: Any) -> Iterator[str]:
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(folder / "server.pem"))
    own = str(folder / "server.pem")
    config = uvicorn.Config(app, port=0, log_level="critical", lifespan="off", ssl_certfile=own, **options)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield f"https://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)
