"""Live bodies go through the SDK; what is counted is what arrives."""

import os
from pathlib import Path

import pytest
from fastapi import FastAPI, Request, Response

from loadtest.emission.outbox import Body
from peakline_server.client_token import Credentials
from peakline_server.live_traffic import Counts, LiveTraffic, otel_variables
from tests.factories.otlp_stub import receiving
from tests.factories.plays import DAY_S, HOUR_S, stretch
from tests.factories.serving import served

NOON_S = DAY_S + 12 * HOUR_S


def bodies() -> list[Body]:
    one = stretch("quiet", NOON_S, NOON_S + 1)
    one.play.simulation.run(NOON_S + 240)
    return one.play.outbox.take_by_source(NOON_S + 240)


def test_what_is_counted_arrives_once() -> None:
    with receiving() as receiver:
        traffic = LiveTraffic(receiver.url)
        traffic.send(bodies())
        traffic.close()
    assert len(receiver.spans) == traffic.counts.spans > 50
    assert 0 < traffic.counts.requests < traffic.counts.spans
    assert traffic.failed == 0


def test_signals_that_the_receiver_lacks_are_left_out_and_counted() -> None:
    with receiving() as receiver:
        traffic = LiveTraffic(receiver.url, {"metrics"})
        traffic.send([Body(b"", 0, 0, 0.0, "metrics", 7)])
        traffic.close()
    assert (traffic.left_out_points, traffic.counts) == (7, Counts())


def test_counts_add_up() -> None:
    counts = Counts()
    counts.add(Body(b"", 3, 2, 0.0), 1)
    counts.add(Body(b"", 0, 0, 0.0, "metrics", 5))
    assert counts == Counts(requests=2, spans=3, points=5, bodies=2, rejected=1)


def test_the_exporters_send_the_token_and_the_environment_is_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-mine=1,authorization=old")
    seen: set[tuple[str | None, str | None]] = set()

    def take(request: Request) -> Response:
        seen.add((request.headers.get("authorization"), request.headers.get("x-mine")))
        return Response()

    app = FastAPI()
    app.add_api_route("/v1/{signal}", take, methods=["POST"])
    with served(app) as url:
        traffic = LiveTraffic(url, {"metrics"}, Credentials("pkl_a_b"))
        traffic.send(bodies())
        traffic.close()
    assert seen == {("Bearer pkl_a_b", "1")}
    assert traffic.failed == 0
    assert os.environ["OTEL_EXPORTER_OTLP_HEADERS"] == "x-mine=1,authorization=old"


def test_without_credentials_the_environment_is_left_alone() -> None:
    assert otel_variables(Credentials()) == {}
    assert otel_variables(Credentials("", Path("ca.pem"))) == {"OTEL_EXPORTER_OTLP_CERTIFICATE": "ca.pem"}


def test_the_exporters_show_the_client_certificate_from_one_file() -> None:
    assert otel_variables(Credentials("", None, Path("own.pem"))) == {
        "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE": "own.pem",
        "OTEL_EXPORTER_OTLP_CLIENT_KEY": "own.pem",
    }
