"""An entry says where a field is found, and cannot say what the field does not permit."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from collector.otlp.alias_entry import PERMITTED, READERS, WORDS, emitters, read_entry
from collector.otlp.alias_tables import DERIVED, Convert, Source, alias_tables
from tests.house.tree import ROOT
from vocabulary.fields import BY_NAME, Kind


def reasons(field: str, entry: str | Mapping[str, Any]) -> list[tuple[str, str]]:
    """(key, reason) of everything that is wrong with an entry."""
    written = entry if isinstance(entry, str) else yaml.safe_dump(dict(entry))
    node = yaml.compose(written, Loader=yaml.SafeLoader)
    assert node is not None
    return [(fault.key, fault.reason) for fault in read_entry(node).complaints(BY_NAME[field])]


def source(field: str, written: str) -> Source:
    node = yaml.compose(written, Loader=yaml.SafeLoader)
    assert node is not None
    entry = read_entry(node)
    assert list(entry.complaints(BY_NAME[field])) == []
    return entry.source(BY_NAME[field])


def test_a_name_alone_is_a_span_attribute() -> None:
    found = source("queue_s", "my.queue")
    assert (found.name, found.resource, found.scale, found.rank) == ("my.queue", False, 1.0, 50)


def test_an_entry_says_all_that_the_packaged_tables_say() -> None:
    found = source("queue_s", "{attribute: q, unit: ms, json: wait, rank: 7, only: [vllm, sglang], kinds: [2, 3]}")
    assert (found.label, found.scale, found.rank) == ("q#wait", 1e-3, 7)
    assert found.only == {"vllm", "sglang"}
    assert found.kinds == {2, 3}
    assert source("queue_s", "{attribute: q, unit: debug}").convert is Convert.DEBUG
    told = source("service_tier", "{resource: tier, engine: true, values: {gold: core}}")
    assert (told.resource, told.engine, told.values) == (True, True, {"gold": "core"})


def written(told: Source) -> dict[str, Any]:
    """A source as somebody would write it."""
    units = {1e-3: "ms", 1e-6: "us", 1e-9: "ns"}
    entry: dict[str, Any] = {"resource" if told.resource else "attribute": told.name, "rank": told.rank}
    if told.convert is Convert.DEBUG or told.scale in units:
        entry["unit"] = units.get(told.scale, "debug")
    elif told.convert:
        entry["convert"] = told.convert.value
    plain = {
        "json": told.json_key,
        "values": dict(told.values),
        "engine": told.engine,
        "only": sorted(told.only),
        "kinds": sorted(told.kinds),
    }
    return entry | {key: value for key, value in plain.items() if value}


def test_the_packaged_tables_keep_to_the_rules_but_for_two_names_with_care() -> None:
    """A path is cut out of `http.target`, and of a team's id under a key's name only the id is taken."""
    told = alias_tables().sources[1 : -len(DERIVED)]
    assert len(told) > 200
    wrong = [source.label for source in told if reasons(source.field.name, written(source))]
    assert sorted(wrong) == ["http.target", "metadata.user_api_key_team_id"]


@pytest.mark.parametrize(
    ("field", "entry", "key", "reason"),
    [
        ("queue_s", "{}", "", "either `attribute` or `resource` is wanted here, and not both"),
        ("queue_s", "{attribute: a, resource: b}", "resource", "either `attribute` or `resource`"),
        ("queue_s", "[a]", "attribute", "a text is wanted here"),
        ("queue_s", "5", "attribute", "a text is wanted here; write '5' in quotes"),
        (
            "queue_s",
            "{atribute: a}",
            "atribute",
            "this key is unknown; did you mean 'attribute'?; known here: attribute,",
        ),
        ("queue_s", "{attribute: a, attribute: b}", "attribute", "this key stands here twice"),
        ("queue_s", "{attribute: a, unit: min}", "unit", "'min' is none of debug, ms, ns, s, us"),
        ("queue_s", "{attribute: a, unit: ms, convert: option}", "convert", "a unit or is converted, not both"),
        ("queue_s", "{attribute: a, convert: debug}", "convert", "'debug' is none of address,"),
        ("queue_s", "{attribute: a, rank: 999}", "rank", "a whole number from 0 to 998 is wanted here"),
        ("queue_s", "{attribute: a, only: [vlm]}", "only", "did you mean 'vllm'?"),
        ("queue_s", "{attribute: a, only: vllm}", "only", "a list such as [a, b] is wanted here"),
        ("queue_s", "{attribute: a, kinds: [0]}", "kinds", "a whole number from 1 to 5 is wanted here"),
        ("queue_s", "{attribute: a, engine: true}", "engine", "for a span attribute use `only`"),
        ("queue_s", "{resource: a, kinds: [2]}", "kinds", "means the same on all its spans"),
        ("queue_s", "{resource: a, only: [vllm]}", "only", "means the same on all its spans"),
        ("queue_s", "{attribute: a, values: {a: b}}", "values", "only a text is given other words"),
        ("input_tokens", "{attribute: a, unit: ms}", "unit", "input_tokens is no duration, so it has no unit"),
        ("input_tokens", "{attribute: a, convert: pseudonym}", "convert", "known here: count, grpc_status, option"),
        ("tenant", "{attribute: a, convert: count}", "convert", "count gives no text, which tenant is"),
        (
            "stream",
            "{attribute: a, convert: path}",
            "convert",
            "path gives no flag, which stream is; known here: option",
        ),
    ],
)
def test_a_mistake_is_told_at_its_key(field: str, entry: str, key: str, reason: str) -> None:
    ((found_key, found),) = reasons(field, entry)
    assert found_key == key
    assert reason in found


@pytest.mark.parametrize(
    ("field", "entry"),
    [
        ("service_tier", "gen_ai.prompt"),
        ("service_tier", "{resource: system_prompt}"),
        ("service_tier", "{attribute: my.options, json: messages}"),
        ("service_tier", "{attribute: user.id, convert: path}"),
        ("tenant", "{attribute: x.api_key, convert: tenant}"),
        ("seed", "my.password"),
    ],
)
def test_no_column_shows_what_a_name_says_is_content_or_a_secret(field: str, entry: str) -> None:
    ((key, reason),) = reasons(field, entry)
    assert key in {"attribute", "resource", "json"}
    assert "holds content or a secret" in reason


@pytest.mark.parametrize(
    ("field", "entry"),
    [
        ("tenant", "{attribute: x.api_key, convert: pseudonym}"),
        ("stop_count", "{attribute: my.stop_sequences, convert: count}"),
        ("input_tokens", "my.prompt.size"),
    ],
)
def test_numbers_counts_and_pseudonyms_of_content_are_no_content(field: str, entry: str) -> None:
    assert reasons(field, entry) == []


def test_every_conversion_fits_a_kind_of_field() -> None:
    assert frozenset().union(*PERMITTED.values()) == frozenset(Convert) - {Convert.DEBUG}
    assert {*PERMITTED} == {*Kind}


def test_emitters_are_those_that_spans_are_told_apart_by() -> None:
    assert {"vllm", "litellm", "otel_genai", "peakline", "unknown"} <= set(emitters())


def test_the_documents_name_every_key_and_every_conversion() -> None:
    (part,) = re.findall(r"## Attributes of your own\n(.+?)\n## ", (ROOT / "docs" / "ingest.md").read_text(), re.DOTALL)
    rows = re.findall(r"^\| (`.+?) \| (.+) \|$", part, re.MULTILINE)
    keys = [key for left, _ in rows for key in re.findall(r"`(\w+)`", left)]
    assert sorted(keys) == sorted(READERS)
    (conversions,) = [right for left, right in rows if left == "`convert`"]
    assert re.findall(r"`(\w+)`", conversions) == sorted(WORDS)
