"""A user's own alias table is asked before the packaged ones, and tells all its mistakes at once."""

import re
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from collector.otlp.alias_file import MISTAKES_MAX, SOURCES_MAX, AliasFileError, read_alias_tables, read_sources
from collector.otlp.alias_tables import Source, alias_tables
from collector.otlp.decode import decode_traces
from collector.otlp.normalise import Normaliser
from collector.otlp.privacy import Privacy
from documents.yaml_file import DocumentError
from tests.factories.otlp import RECEIVED_NS, request, sources, span
from tests.house.tree import ROOT

ENGINE = "vllm.tracing.otel"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "aliases.yaml"


def rows_by(file: Path, written: str, message: ExportTraceServiceRequest) -> list[dict[str, Any]]:
    """Rows that a message becomes with an extra table."""
    file.write_text(written)
    normaliser = Normaliser(Privacy(b"salt"), read_alias_tables(file))
    found: list[dict[str, Any]] = normaliser.normalise(
        decode_traces(message.SerializeToString()), RECEIVED_NS
    ).spans.to_pylist()
    return found


def written_keys(source: Source) -> set[str]:
    """Keys of an entry that a source cannot have come without."""
    plain = Source(0, source.field, source.name)
    pairs = (("convert", "convert"), ("unit", "scale"), ("json", "json_key"), ("values", "values"), ("rank", "rank"))
    more = ((key, key) for key in ("engine", "only", "kinds"))
    changed = {key for key, name in (*pairs, *more) if getattr(source, name) != getattr(plain, name)}
    return changed | {"resource" if source.resource else "attribute"}


def mistakes(file: Path, written: str) -> list[str]:
    """What a person reads, without the name of the file."""
    file.write_text(written)
    with pytest.raises(AliasFileError) as caught:
        read_sources(file)
    assert str(caught.value) == "\n".join(caught.value.mistakes)
    assert all(sentence.startswith(f"{file}:") for sentence in caught.value.mistakes)
    return [sentence.removeprefix(f"{file}:") for sentence in caught.value.mistakes]


def test_an_attribute_of_ones_own_fills_a_field(file: Path) -> None:
    told = {"acme.wait": 250, "acme.plan": "gold"}
    tier = "service_tier: [{attribute: acme.plan, values: {gold: core}}]"
    written = f"fields:\n  queue_s: [{{attribute: acme.wait, unit: ms}}]\n  {tier}\n"
    (found,) = rows_by(file, written, request(span(attributes=told)))
    assert (found["queue_s"], found["service_tier"]) == (0.25, "core")
    assert sources(found) == {"queue_s": "acme.wait", "service_tier": "acme.plan"}


def test_it_is_asked_before_the_packaged_tables_whatever_its_rank(file: Path) -> None:
    told = {
        "gen_ai.request.model": "packaged",
        "acme.model": "mine",
        "peakline.service_tier": "batch",
        "acme.tier": "x",
    }
    written = "fields:\n  model_requested: [{attribute: acme.model, rank: 998}]\n  service_tier: [acme.tier]\n"
    (found,) = rows_by(file, written, request(span(attributes=told)))
    assert (found["model_requested"], found["service_tier"]) == ("mine", "x")


def test_where_it_tells_nothing_the_packaged_tables_are_asked(file: Path) -> None:
    message = request(span(1, attributes={"gen_ai.request.model": "packaged"}), span(2, attributes={"acme.model": "m"}))
    first, second = rows_by(file, "fields: {model_requested: [acme.model]}", message)
    assert (first["model_requested"], second["model_requested"]) == ("packaged", "m")


def test_its_resource_attributes_come_before_packaged_span_attributes(file: Path) -> None:
    message = request(
        span(attributes={"peakline.replica": "packaged", "acme.pod": "span"}), resource={"acme.pod": "resource"}
    )
    written = "fields: {replica: [{resource: acme.pod, rank: 3}, {attribute: acme.pod}]}"
    (found,) = rows_by(file, written, message)
    assert (found["replica"], sources(found)["replica"]) == ("resource", "resource:acme.pod")
    (found,) = rows_by(file, written.replace("rank: 3", "rank: 60"), message)
    assert (found["replica"], sources(found)["replica"]) == ("span", "acme.pod")


def test_a_resource_that_no_span_attribute_helps_is_asked_too(file: Path) -> None:
    message = request(span(name="llm_request"), resource={"acme.rack": "r7", "rack.id": "r1"}, scope=ENGINE)
    (found,) = rows_by(file, "fields: {rack: [{resource: acme.rack}]}", message)
    assert found["rack"] == "r7"


def test_a_packaged_attribute_may_be_given_another_unit(file: Path) -> None:
    message = request(span(attributes={"gen_ai.latency.time_in_queue": 250}))
    (found,) = rows_by(file, "fields: {queue_s: [{attribute: gen_ai.latency.time_in_queue, unit: ms}]}", message)
    assert found["queue_s"] == 0.25
    labels = [source.label for source in read_alias_tables(file).sources if source.field.name == "queue_s"]
    assert labels.count("gen_ai.latency.time_in_queue") == 1


def test_a_packaged_attribute_keeps_its_meaning_for_those_who_are_not_meant(file: Path) -> None:
    told = {"gen_ai.response.time_to_first_chunk": 2}
    mixed = request(span(1, attributes=told), scope=ENGINE)
    mixed.MergeFrom(request(span(2, attributes=told), scope="somebody"))
    written = "fields: {client_ttft_s: [{attribute: gen_ai.response.time_to_first_chunk, unit: ms, only: [vllm]}]}"
    assert [row["client_ttft_s"] for row in rows_by(file, written, mixed)] == [0.002, 2.0]


def test_tables_of_different_files_do_not_mix(file: Path) -> None:
    message = request(span(attributes={"acme.a": "first", "acme.b": "second"}), resource={"acme.zone": "z"})
    before, after = "fields: {zone: [{resource: acme.zone}], node: [acme.a]}", "fields: {node: [acme.b]}"
    for _ in range(2):
        (found,) = rows_by(file, before, message)
        assert sources(found) == {"node": "acme.a", "zone": "resource:acme.zone"}
        (found,) = rows_by(file, after, message)
        assert sources(found) == {"node": "acme.b"}
    (packaged,) = (
        Normaliser(Privacy(b"salt"))
        .normalise(decode_traces(message.SerializeToString()), RECEIVED_NS)
        .spans.to_pylist()
    )
    assert sources(packaged) == {}


def test_a_file_without_sources_changes_nothing(file: Path) -> None:
    file.write_text("fields: {}\n")
    assert [source.label for source in read_alias_tables(file).sources] == [
        source.label for source in alias_tables().sources
    ]


BROKEN = """\
# Ten mistakes.
fields:
  queue_ms: [acme.wait]
  queue_s:
    - {attribute: acme.wait, unit: minutes}
    - acme.queue
    - {attribut: acme.other}
  prefill_s: acme.prefill
  tenant:
    - {attribute: acme.team, convert: hash}
    - {attribute: acme.user, convert: count}
    - gen_ai.prompt
  input_tokens: [5, {attribute: acme.tokens, rank: -1}]
  zone: [{attribute: acme.zone, only: [vlm]}]
  rack: [acme.rack, acme.rack]
  queue_s: [acme.again]
colours: [red]
"""


def test_every_mistake_is_told_with_its_line(file: Path) -> None:
    found = mistakes(file, BROKEN)
    told = [re.fullmatch(r"(\d+): ([^ ]*?):? ?(.+)", sentence) for sentence in found]
    assert all(told)
    lines = [int(sentence.split(":", 1)[0]) for sentence in found]
    assert lines == [3, 5, 7, 8, 10, 11, 12, 13, 13, 14, 15, 16, 17]
    expected = [
        "3: fields: 'queue_ms' is unknown here; did you mean 'queue_s'?",
        "5: fields.queue_s[0].unit: 'minutes' is none of debug, ms, ns, s, us",
        "7: fields.queue_s[2].attribut: this key is unknown; did you mean 'attribute'?",
        "8: fields.prefill_s: a list is wanted here",
        "10: fields.tenant[0].convert: 'hash' is none of",
        "11: fields.tenant[1].convert: count gives no text",
        "12: fields.tenant[2].attribute: by its name 'gen_ai.prompt' holds content",
        "13: fields.input_tokens[0].attribute: a text is wanted here; write '5' in quotes",
        "13: fields.input_tokens[1].rank: a whole number from 0 to 998",
        "14: fields.zone[0].only: 'vlm' is none of",
        "15: fields.rack[1]: acme.rack stands in rack twice",
        "16: fields: 'queue_s' stands here twice",
        "17: 'colours' is unknown here",
    ]
    assert [sentence[: len(start)] for sentence, start in zip(found, expected, strict=True)] == expected


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("", "1: `key: value` lines are wanted here"),
        ("- fields", "1: `key: value` lines are wanted here"),
        ("other: 1\n", "1: 'fields' is missing"),
        ("fields: [queue_s]", "1: fields: lines such as `queue_s: [my.queue.time]` are wanted here"),
        ("fields:\n", "1: fields: lines such as `queue_s: [my.queue.time]` are wanted here"),
        ("fields:\n\tqueue_s: [a]\n", "2: found character '\\t' that cannot start any token"),
    ],
)
def test_a_file_of_another_form_is_refused_with_its_line(file: Path, written: str, sentence: str) -> None:
    assert sentence in mistakes(file, written)


def test_a_file_that_is_no_text_or_not_there_is_refused(file: Path, tmp_path: Path) -> None:
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(AliasFileError, match="is no UTF-8 text"):
        read_sources(file)
    with pytest.raises(DocumentError, match="cannot be read: No such file"):
        read_sources(tmp_path / "absent.yaml")


def test_a_table_is_bounded(file: Path) -> None:
    names = [f"acme.{number}" for number in range(SOURCES_MAX + 1)]
    file.write_text(f"fields: {{node: [{', '.join(names[:-1])}]}}")
    assert len(read_sources(file)) == SOURCES_MAX
    (sentence,) = mistakes(file, f"fields: {{node: [{', '.join(names)}]}}")
    assert sentence == "1: fields.node[1000]: the table has more than 1,000 sources"


def test_a_file_that_is_something_else_does_not_fill_the_log(file: Path) -> None:
    assert len(mistakes(file, "".join(f"key{number}: 1\n" for number in range(5000)))) == MISTAKES_MAX


def test_the_example_of_the_documents_is_a_table(file: Path) -> None:
    page = (ROOT / "docs" / "ingest.md").read_text()
    (example,) = re.findall(r"^    # aliases\.yaml.*\n(?:    .*\n)+", page, re.MULTILINE)
    file.write_text(re.sub(r"^    ", "", example, flags=re.MULTILINE))
    used = {key for source in read_sources(file) for key in written_keys(source)}
    assert used == {"attribute", "resource", "unit", "convert", "json", "values", "engine", "only", "kinds", "rank"}
