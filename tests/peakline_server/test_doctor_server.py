"""The server is asked once for each thing, and what it will not say is told."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
import trustme
from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, StreamingResponse
from fastapi.routing import APIRoute

from api.house import ApiHouse
from peakline_server.client_token import NO_CREDENTIALS, Credentials
from peakline_server.doctor_ports import ports
from peakline_server.doctor_server import Asked, server, unanswered
from peakline_server.doctor_store import store
from store.telemetry.lock import FolderLock
from tests.api.conftest import Naming, Switchboard, application, somebody
from tests.factories.serving import served
from tests.peakline_server.examined_place import asked, only, place, states
from tests.peakline_server.test_delivery import served_over_tls, served_with_client_certificates
from vocabulary.access import Role


def test_a_server_of_ours_is_recognised(peakline: str) -> None:
    found = only(server(place(server=asked(peakline))))
    assert (found.state, found.sentence) == ("ok", f"A Peakline server answers at {peakline}.")


def test_without_a_server_nothing_is_broken_unless_one_was_named() -> None:
    found = only(server(place()))
    assert (found.state, "peakline serve" in found.fix) == ("skipped", True)
    assert only(server(place(is_named=True))).state == "problem"


def test_another_server_is_told() -> None:
    other = FastAPI()
    other.add_api_route("/{path:path}", lambda: HTMLResponse("hello"))
    with served(other) as url:
        found = only(server(place(server=asked(url))))
    assert (found.state, "is no Peakline server (status 200)" in found.sentence) == ("problem", True)


def test_a_certificate_that_cannot_be_verified_is_told(tmp_path: Path) -> None:
    app, authority = FastAPI(), trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    app.add_api_route("/healthz", lambda: {"status": "alive"})
    with served_over_tls(app, authority, tmp_path) as url:
        assert "--ca-file" in only(server(place(server=asked(url)))).fix
        assert only(server(place(server=asked(url, ca_file=tmp_path / "ca.pem")))).state == "ok"


def test_an_ended_handshake_asks_for_a_client_certificate(tmp_path: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    authority.issue_cert("a.example").private_key_and_cert_chain_pem.write_to_path(str(tmp_path / "client.pem"))
    with served_with_client_certificates(FastAPI(), authority, tmp_path) as url:
        found = only(server(place(server=asked(url, ca_file=tmp_path / "ca.pem"))))
        mine = Credentials("", tmp_path / "ca.pem", tmp_path / "client.pem")
        assert Asked(url, mine).get("/healthz").status == 404
    assert (found.state, found.sentence) == ("problem", f"The server at {url} ended the TLS handshake.")
    assert found.fix == "It may want a client certificate: --client-certificate FILE."


def refusing(status: int, kind: str, path: str = "/{path:path}") -> FastAPI:
    app = FastAPI()
    told = {"type": f"urn:peakline:problem:{kind}", "title": "x", "status": status, "detail": "No."}
    app.add_api_route("/healthz", lambda: {"status": "alive"})
    app.router.routes.insert(0, APIRoute(path, lambda: JSONResponse(told, status)))
    return app


def test_a_token_that_is_refused_is_told_as_such() -> None:
    with served(refusing(401, "bad-token", "/api/v1/pools")) as url:
        here = place(server=asked(url, "pkl_a"))
        found = unanswered("x", here, here.server.get("/api/v1/pools"), Role.VIEWER)
    assert found.sentence == "The token in PEAKLINE_TOKEN (or --token-file) is not valid, expired or revoked."
    assert "tokens create doctor --role viewer" in found.fix


def test_a_name_that_is_not_answered_is_told_as_such_and_is_no_other_server() -> None:
    with served(refusing(403, "unknown-host")) as url:
        here = place(server=asked(url))
        found, other = only(server(here)), only(store(here))
        port = int(url.rpartition(":")[2])
        assert only(ports(place(ports={"main": port}, server=asked()))).state == "ok"
    assert (found.state, "A Peakline server answers" in found.sentence, "server.hosts" in found.fix) == (
        ("problem", True, True)
    )
    assert (other.state, "server.hosts" in other.fix) == ("skipped", True)


def test_a_server_with_two_addresses_is_asked_at_the_one_that_answers(peakline: str) -> None:
    first = Asked(asked().url, NO_CREDENTIALS, other=asked(peakline))
    here = place(server=first)
    assert only(server(here)).sentence == f"A Peakline server answers at {peakline}."
    assert here.server.get("/api/v1/health").is_answer
    silent = place(server=Asked("http://127.0.0.1:1", NO_CREDENTIALS, other=asked("http://127.0.0.1:2")))
    assert "No server answers at http://127.0.0.1:1 or http://127.0.0.1:2 (" in only(server(silent)).sentence
    well = Asked(peakline, NO_CREDENTIALS, other=asked("http://127.0.0.1:2"))
    assert only(server(place(server=well))).state == "ok"
    assert well.url == peakline


def test_a_server_is_asked_by_the_name_that_it_answers_to() -> None:
    app = FastAPI()

    def health(request: Request) -> dict[str, str]:
        return {"status": "alive" if request.headers["host"] == "a.example" else "who"}

    app.add_api_route("/healthz", health)
    with served(app) as url:
        assert not asked(url).is_peakline()
        assert Asked(url, NO_CREDENTIALS, host="a.example").is_peakline()


def test_a_server_of_another_folder_is_told(peakline: str, tmp_path: Path) -> None:
    here = place(server=asked(peakline), data=tmp_path)
    found = server(here)
    assert states(found) == ["ok", "warning"]
    assert f"nobody has {tmp_path} open" in found[1].sentence
    lock = FolderLock(tmp_path)
    assert states(server(here)) == ["ok"]
    lock.release()


def test_the_same_question_goes_out_once_and_a_silent_server_is_left_alone() -> None:
    seen: list[str] = []
    app = FastAPI()

    def answer(path: str) -> Response:
        seen.append(path)
        return Response('{"status": "alive"}', media_type="application/json")

    app.add_api_route("/{path:path}", answer)
    with served(app) as url:
        one = asked(url)
        for _ in range(3):
            assert one.get("/a", {"x": "1"}).is_answer
        one.get("/a", {"x": "2"})
    assert seen == ["healthz", "a", "a"]
    assert one.get("/b").status == 0
    assert one.get("/c") is one.get("/b")


@pytest.mark.parametrize(
    ("principal", "state", "said"),
    [(None, "skipped", "wants a token"), (somebody(Role.INGEST), "skipped", "which may not read")],
)
def test_a_server_that_does_not_answer_this_caller_is_told(
    api_house: ApiHouse, principal: object, state: str, said: str
) -> None:
    with served(Naming(application(api_house), principal)) as url:
        here = place(server=asked(url))
        found = unanswered("x", here, here.server.get("/api/v1/pools"), Role.VIEWER)
    assert (found.state, said in found.sentence, "viewer" in found.fix) == (state, True, True)


def test_a_server_that_fails_is_a_problem(peakline: str, board: Switchboard) -> None:
    board.healthy = False
    here = place(server=asked(peakline))
    found = unanswered("x", here, here.server.get("/readyz"), Role.VIEWER)
    assert (found.state, "does not answer at the moment" in found.sentence) == ("problem", True)
    assert unanswered("x", here, here.server.get("/api/nosuch"), Role.VIEWER).state == "skipped"


@pytest.mark.parametrize(("said", "seen"), [("alive", {"Bearer pkl_planted"}), ("hello", set())])
def test_a_token_is_for_a_server_of_ours_only_and_in_no_message(said: str, seen: set[str]) -> None:
    heard: set[str] = set()
    app = FastAPI()
    app.add_api_route("/{path:path}", lambda: {"status": said})

    async def everything(scope: object, receive: object, send: object) -> None:
        heard.update(value.decode() for name, value in scope["headers"] if name == b"authorization")  # type: ignore[index]  # an ASGI scope
        await app(scope, receive, send)  # type: ignore[arg-type]  # as above

    with served(everything) as url:
        here = place(server=asked(url, "pkl_planted"))
        found = server(here)
        assert here.server.get("/api/v1/health").is_answer is (said == "alive")
    assert heard == seen
    assert "planted" not in f"{found} {here}"


def test_a_server_whose_answers_are_no_objects_is_not_ours() -> None:
    other = FastAPI()
    other.add_api_route("/{path:path}", lambda: JSONResponse([]))
    with served(other) as url:
        here = place(server=asked(url))
        assert only(store(here)).state == "skipped"


def test_an_answer_that_never_ends_is_not_waited_for() -> None:
    async def pieces() -> AsyncIterator[bytes]:
        with suppress(asyncio.CancelledError):
            while True:
                yield b" "
                await asyncio.sleep(0.05)

    other = FastAPI()
    other.add_api_route("/{path:path}", lambda: StreamingResponse(pieces()))
    with served(other) as url:
        one = Asked(url, NO_CREDENTIALS, timeout_s=0.2)
        begun = time.monotonic()
        assert one.get("/healthz").detail == "it does not finish its answer"
        assert not one.is_peakline()
        assert time.monotonic() - begun < 2


def test_an_endless_answer_is_not_kept() -> None:
    async def pieces() -> AsyncIterator[bytes]:
        while True:
            yield b" " * (1 << 20)

    other = FastAPI()
    other.add_api_route("/{path:path}", lambda: StreamingResponse(pieces()))
    with served(other) as url:
        assert Asked(url, NO_CREDENTIALS, timeout_s=15).get("/healthz").body is None
