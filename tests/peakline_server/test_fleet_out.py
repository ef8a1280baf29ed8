"""Where a history goes."""

import json
from pathlib import Path

import pytest
from fastapi import FastAPI, Request, Response

from loadtest.emission.outbox import Body
from peakline_server.client_token import Credentials
from peakline_server.fleet_out import Folder, OutFolderError, Receiver
from tests.factories.otlp_stub import receiving
from tests.factories.plays import stretch
from tests.factories.serving import served

BODIES = [Body(b"one", 2, 1, 10.0), Body(b"two", 0, 0, 10.0, "metrics", 5)]


def test_a_folder_has_a_file_for_each_body_and_a_manifest_in_their_order(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "out")
    assert list(folder.send(iter(BODIES))) == [(body, 0) for body in BODIES]
    folder.close({"scenario": "quiet"})
    assert (tmp_path / "out" / "000001.traces.otlp").read_bytes() == b"one"
    assert (tmp_path / "out" / "000002.metrics.otlp").read_bytes() == b"two"
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert (manifest["format"], manifest["scenario"]) == (1, "quiet")
    assert [(one["file"], one["spans"], one["points"]) for one in manifest["bodies"]] == [
        ("000001.traces.otlp", 2, 0),
        ("000002.metrics.otlp", 0, 5),
    ]


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").touch()
    with pytest.raises(OutFolderError, match="is not empty; name another folder with --out"):
        Folder(tmp_path)
    with pytest.raises(OutFolderError, match="cannot be used"):
        Folder(tmp_path / "letter.txt")


def test_a_receiver_gets_the_bodies() -> None:
    bodies = stretch("quiet", 0.0, 600.0).bodies
    with receiving() as receiver:
        destination = Receiver(receiver.url)
        assert [rejected for _, rejected in destination.send(iter(bodies))] == [0] * len(bodies)
        destination.close({})
    assert len(receiver.spans) == sum(body.spans for body in bodies) > 0
    assert destination.absent == set()


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "out")
    (tmp_path / "out" / "000001.traces.otlp").mkdir()
    with pytest.raises(OutFolderError, match=r"000001\.traces\.otlp cannot be written: .*; the folder is incomplete"):
        list(folder.send(iter(BODIES)))


def test_a_receiver_gets_the_token_with_every_body() -> None:
    seen: list[str | None] = []
    app = FastAPI()

    def take(request: Request) -> Response:
        seen.append(request.headers.get("authorization"))
        return Response()

    app.add_api_route("/v1/{signal}", take, methods=["POST"])
    with served(app) as url:
        destination = Receiver(url, credentials=Credentials("pkl_a"))
        assert list(destination.send(iter(BODIES))) == [(body, 0) for body in BODIES]
        destination.close({})
    assert seen == ["Bearer pkl_a", "Bearer pkl_a"]
