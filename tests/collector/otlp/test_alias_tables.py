"""The alias tables are complete, consistent and readable."""

from dataclasses import replace

from collector.otlp.alias_tables import (
    DERIVED,
    EARLY,
    EXTRA_RANK,
    LATE,
    Convert,
    Source,
    alias_tables,
    extended,
)
from collector.otlp.key_classes import KeyClass, key_class
from vocabulary.fields import BY_NAME, CANONICAL

NOT_FROM_ATTRIBUTES = {"framework"}


def test_every_canonical_field_has_a_source() -> None:
    told = {source.field.name for source in alias_tables().sources[1:]}
    assert {field.name for field in CANONICAL} == told


def test_numbers_name_their_source() -> None:
    sources = alias_tables().sources
    assert [source.number for source in sources] == list(range(len(sources)))


def test_an_attribute_means_a_field_once_per_conversion() -> None:
    keys = [(s.field.name, s.name, s.json_key, s.resource, s.convert) for s in alias_tables().sources[1:]]
    assert len(keys) == len(set(keys))


def test_current_names_outrank_older_ones() -> None:
    order = [
        source.name
        for source in sorted(alias_tables().sources, key=lambda source: (source.rank, source.number))
        if source.field.name == "input_tokens"
    ]
    wanted = ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"]
    assert [name for name in order if name in wanted] == wanted


def test_the_random_instance_id_comes_after_the_pod() -> None:
    labels = [source.label for source in alias_tables().of_resource["replica"]]
    assert labels.index("resource:k8s.pod.uid") < labels.index("resource:k8s.pod.name")
    assert labels[0] == "resource:service.instance.id"
    assert labels.count("resource:service.instance.id") == 2


def test_derived_sources_are_numbered_too() -> None:
    assert set(alias_tables().derived) == set(DERIVED)
    assert all(alias_tables().sources[number].name == label for (_, label), number in alias_tables().derived.items())


def test_a_label_tells_where_a_value_came_from() -> None:
    labels = {source.label for source in alias_tables().sources}
    assert {"gen_ai.request.model", "llm.invocation_parameters#top_k", "resource:service.name"} <= labels


def test_names_that_carry_content_are_known_as_such() -> None:
    """An alias under a look-alike name would be reduced whenever it loses; each such one is meant."""
    told = alias_tables().sources[1 : -len(DERIVED)]
    classes = {source.name: key_class(source.name) for source in told if not source.resource}
    reduced = {name for name, found in classes.items() if found not in {KeyClass.PLAIN, KeyClass.MEASURE}}
    assert reduced == {
        "enduser.id",
        "gen_ai.request.stop_sequences",
        "gen_ai.request.structured_output_schema",
        "gen_ai.user",
        "http.target",
        "litellm.api_key.hash",
        "litellm.end_user.id",
        "llm.chat.stop_sequences",
        "llm.user",
        "metadata.user_api_key_team_id",
        "user.id",
    }


MINE = Source(0, BY_NAME["replica"], "acme.pod", resource=True)


def test_extra_sources_are_asked_first_each_at_its_step() -> None:
    tables = extended([MINE, replace(MINE, rank=3, name="acme.name")])
    first = [(source.name, source.step) for source in tables.of_resource["replica"][:3]]
    assert first == [
        ("acme.name", EARLY + EXTRA_RANK),
        ("acme.pod", LATE + EXTRA_RANK),
        ("service.instance.id", EARLY),
    ]
    assert tables.steps == (EARLY + EXTRA_RANK, LATE + EXTRA_RANK, EARLY, LATE)


def test_the_packaged_tables_alone_ask_no_further_steps() -> None:
    assert alias_tables().steps == (EARLY, LATE)


def test_numbers_name_their_source_in_extended_tables_too() -> None:
    tables = extended([MINE])
    assert [source.number for source in tables.sources] == list(range(len(tables.sources)))
    assert all(tables.sources[number].name == label for (_, label), number in tables.derived.items())


def test_only_a_source_for_every_span_takes_the_place_of_a_packaged_one() -> None:
    packaged = replace(alias_tables().by_attribute["gen_ai.latency.time_in_queue"][0], scale=1e-3)
    for source, kept in ((packaged, 1), (replace(packaged, only=frozenset({"vllm"})), 2)):
        found = extended([source]).by_attribute["gen_ai.latency.time_in_queue"]
        assert [one.scale for one in found] == [1e-3, 1.0][:kept]
    other = replace(packaged, convert=Convert.OPTION)
    assert len(extended([other]).by_attribute["gen_ai.latency.time_in_queue"]) == 2


def test_tables_are_equal_to_themselves_only_so_that_plans_are_not_mixed_up() -> None:
    assert extended([MINE]) != extended([MINE])
    assert alias_tables() is alias_tables()
