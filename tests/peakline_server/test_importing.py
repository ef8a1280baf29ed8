"""A file on its way: going on where it stopped, stopping cleanly, telling what became of it."""

import json
from collections.abc import Callable, Iterator

import pytest
from fastapi import FastAPI, Request, Response

from bench.harness.server import free_port
from collector.imports.azure_llm import Azure
from collector.imports.rows import BadLine, ImportBody
from peakline_server.client_token import Credentials
from peakline_server.importing import Bodies, Summary, Target, deliver_files, stored_rows
from tests.factories.otlp_stub import Receiver, receiving
from tests.factories.serving import served

HEADER = b"TIMESTAMP,ContextTokens,GeneratedTokens\n"
CONTENT = HEADER + b"".join(b"2023-11-16 18:17:%02d.0,%d,2\n" % (second, second) for second in range(50))
TRACE = Azure(CONTENT, "azure-llm", "conv")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


def job(bodies: Bodies | None = None, trace: Azure = TRACE) -> tuple[Summary, int, Bodies]:
    return Summary("trace.csv", trace.identity.import_id), 50, bodies or (lambda skip, bad: trace.bodies(10, skip, bad))


def target(receiver: Receiver, *, is_json: bool = True) -> Target:
    return Target(receiver.url, receiver.url, is_json)


def run(*jobs: tuple[Summary, int, Bodies], at: Target) -> int:
    with pytest.raises(SystemExit) as ended:
        deliver_files(list(jobs), at)
    return int(str(ended.value.code))


def test_a_whole_file_is_sent_and_ends_with_0(receiver: Receiver, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(job(), at=target(receiver)) == 0
    [told] = json.loads(capsys.readouterr().out)["files"]
    assert (told["rows"], told["sent"], told["stored"], told["already_stored"]) == (50, 50, 50, 0)
    assert (told["input_tokens"], told["output_tokens"]) == (sum(range(50)), 100)


def test_the_end_says_where_to_look(receiver: Receiver, capsys: pytest.CaptureFixture[str]) -> None:
    summary, rows, bodies = job()
    summary.service, summary.model = "azure-llm", "conv"
    run((summary, rows, bodies), at=target(receiver, is_json=False))
    said = capsys.readouterr().out
    pool = "/?service=azure-llm&model=conv&from=2023-11-16T18:17:00Z&to=2023-11-16T18:18:00Z"
    assert f"look at   {receiver.url}{pool}" in said
    assert "report tiers --service azure-llm --model conv --from 2023-11-16T18:17:00Z --to 2023-11-16T18:18:00Z" in said


def test_many_load_tests_are_not_all_listed(receiver: Receiver, capsys: pytest.CaptureFixture[str]) -> None:
    summary, rows, bodies = job()
    summary.load_tests = [f"run-{number}" for number in range(12)]
    run((summary, rows, bodies), at=target(receiver, is_json=False))
    said = capsys.readouterr().out
    assert said.count("look at") == 10
    assert "and 2 load tests more" in said


def test_a_file_without_rows_says_so(receiver: Receiver, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(job(trace=Azure(HEADER, "azure-llm", "conv")), at=target(receiver, is_json=False)) == 0
    assert capsys.readouterr().out == "trace.csv: no rows below the header; nothing to import\n"


def test_importing_again_sends_nothing(receiver: Receiver, capsys: pytest.CaptureFixture[str]) -> None:
    run(job(), at=target(receiver))
    exports = receiver.exports
    assert run(job(), at=target(receiver)) == 0
    assert receiver.exports == exports
    assert len(receiver.spans) == 50


def stopped_after(bodies_sent: int) -> Bodies:
    """Bodies during which somebody presses Ctrl-C."""

    def bodies(skip: int, bad: Callable[[BadLine], None]) -> Iterator[ImportBody]:
        for number, body in enumerate(TRACE.bodies(10, skip, bad)):
            if number == bodies_sent:
                raise KeyboardInterrupt
            yield body

    return bodies


def test_an_interrupted_import_says_how_to_go_on_and_goes_on(
    receiver: Receiver, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(job(stopped_after(2)), at=target(receiver, is_json=False)) == 1
    assert "stopped after 20 rows; the same command goes on from there" in capsys.readouterr().err
    assert len(receiver.spans) == 20
    assert run(job(), at=target(receiver)) == 0
    [told] = json.loads(capsys.readouterr().out)["files"]
    assert (told["already_stored"], told["sent"], told["stored"]) == (20, 30, 50)
    assert receiver.exports == 2 + 3


def test_a_server_that_refuses_midway_says_how_far_it_came(
    receiver: Receiver, capsys: pytest.CaptureFixture[str]
) -> None:
    def bodies(skip: int, bad: Callable[[BadLine], None]) -> Iterator[ImportBody]:
        for number, body in enumerate(TRACE.bodies(10, skip, bad)):
            if number == 3:
                receiver.script = [(400, {})]
            yield body

    assert run(job(bodies), at=target(receiver, is_json=False)) == 2
    assert "30 rows are stored, the same command goes on from there" in capsys.readouterr().err


def test_lines_that_cannot_be_used_end_with_1_and_are_named(
    receiver: Receiver, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = Azure(CONTENT + b"what is this\n" * 25, "azure-llm", "conv")
    assert run(job(trace=trace), at=target(receiver, is_json=False)) == 1
    said = capsys.readouterr().out
    assert "50 usable, 25 not usable" in said
    assert "line 52: 3 columns are wanted, 1 are there" in said
    assert "and 5 lines more" in said


def test_rejected_rows_end_with_1(receiver: Receiver, capsys: pytest.CaptureFixture[str]) -> None:
    receiver.rejects = 1
    assert run(job(), at=target(receiver)) == 1
    assert json.loads(capsys.readouterr().out)["files"][0]["rejected"] == 5


def test_another_file_ends_with_2_and_is_named(receiver: Receiver, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(job(trace=Azure(b"a,b\n", "s", "m")), at=target(receiver, is_json=False)) == 2
    assert "peakline: trace.csv: this is no Azure LLM inference trace file" in capsys.readouterr().err


def test_without_a_server_it_ends_with_2_in_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    assert run(job(), at=Target(nowhere, nowhere, is_json=True)) == 2
    assert "no Peakline server answers" in json.loads(capsys.readouterr().out)["error"]


def test_an_api_that_does_not_answer_is_unknown_not_zero(
    receiver: Receiver, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    assert stored_rows(nowhere, "x") is None
    assert run(job(), at=Target(receiver.url, nowhere, is_json=False)) == 0
    assert "stored    unknown to this command" in capsys.readouterr().out


def test_an_import_shows_its_token_to_the_receiver_and_to_the_api(capsys: pytest.CaptureFixture[str]) -> None:
    seen: set[tuple[str, str | None]] = set()
    app = FastAPI()

    def take(request: Request) -> Response:
        seen.add((request.method, request.headers.get("authorization")))
        return Response('{"rows": 0}' if request.method == "GET" else b"")

    app.add_api_route("/{path:path}", take, methods=["GET", "POST"])
    with served(app) as url:
        assert run(job(), at=Target(url, url, is_json=True, credentials=Credentials("pkl_a"))) == 0
    assert seen == {("POST", "Bearer pkl_a"), ("GET", "Bearer pkl_a")}
    assert "pkl_a" not in capsys.readouterr().out
