"""The import commands, as a person calls them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from peakline_server.imports import import_group
from tests.factories.otlp_stub import attributes, receiving

AZURE = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n"
SWEEP = (
    "sweep,measured_rate_rps,requests,ok_200,code_0,code_500,client_timeout_s,duration_s,p50_s\n"
    "first_2025-12-09,5.0,10,7,2,1,10,2,0.4\nsecond,10.0,4,4,0,0,10,2,0.3\n"
)


def call(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(import_group, arguments)
    return result.exit_code, result.stdout, result.stderr


def test_azure_files_are_imported_under_the_models_that_their_names_tell(tmp_path: Path) -> None:
    for name in ("trace_code.csv", "trace_conv.csv"):
        (tmp_path / name).write_text(AZURE + name.replace("trace", "2023-11-16 18:17:04,1,1\n#"), encoding="utf-8")
    with receiving() as receiver:
        paths = [str(tmp_path / name) for name in ("trace_code.csv", "trace_conv.csv")]
        code, out, _ = call("azure-llm", *paths, "--endpoint", receiver.url, "--server", receiver.url, "--json")
    models = sorted(str(attributes(span)["gen_ai.request.model"]) for span in receiver.spans.values())
    assert models == ["code", "code", "conv", "conv"]
    assert code == 1
    assert [len(file["bad_lines"]) for file in json.loads(out)["files"]] == [1, 1]


def test_service_and_model_can_be_given(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(AZURE, encoding="utf-8")
    with receiving() as receiver:
        where = ("--endpoint", receiver.url, "--server", receiver.url)
        code, _, _ = call("azure-llm", str(tmp_path / "t.csv"), *where, "--service", "mine", "--model", "m")
    [body] = receiver.bodies
    [span] = receiver.spans.values()
    assert code == 0
    assert body.resource_spans[0].resource.attributes[0].value.string_value == "mine"
    assert attributes(span)["gen_ai.request.model"] == "m"


@pytest.mark.parametrize(("options", "day"), [((), 1_765_238_400), (("--date", "2025-01-02"), 1_735_776_000)])
def test_a_sweep_without_a_date_takes_one_from_its_neighbours_or_the_option(
    tmp_path: Path, options: tuple[str, ...], day: int
) -> None:
    (tmp_path / "s.csv").write_text(SWEEP, encoding="utf-8")
    with receiving() as receiver:
        code, out, _ = call(
            "sweep", str(tmp_path / "s.csv"), "--endpoint", receiver.url, "--server", receiver.url, *options
        )
    starts = {
        attributes(span)["peakline.load_test.id"]: span.start_time_unix_nano // 10**9 // 60 * 60
        for span in receiver.spans.values()
    }
    assert code == 0
    assert starts == {"first_2025-12-09": 1_765_238_400, "second": day}
    assert "14 usable, 0 not usable" in out
    assert f"{receiver.url}/?load_test=first_2025-12-09&service=load-test\n" in out
    assert "report tiers --load-test second --service load-test" in out


def test_a_sweep_file_of_another_kind_ends_with_2(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(AZURE, encoding="utf-8")
    code, _, said = call("sweep", str(tmp_path / "s.csv"))
    assert code == 2
    assert said.startswith("peakline: s.csv: this is no sweep file")


def test_a_file_that_is_not_there_ends_with_2(tmp_path: Path) -> None:
    assert call("azure-llm", str(tmp_path / "nothing.csv"))[0] == 2


def test_help_says_what_the_files_hold() -> None:
    assert "ContextTokens" in call("azure-llm", "--help")[1]
    assert "measured_rate_rps" in call("sweep", "--help")[1].replace("\n", " ")
