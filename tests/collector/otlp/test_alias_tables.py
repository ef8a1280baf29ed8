"""The alias tables are complete, consistent and readable."""

from collector.otlp.alias_tables import DERIVED, alias_tables, derived
from collector.otlp.key_classes import KeyClass, key_class
from vocabulary.fields import CANONICAL

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
    assert set(derived()) == set(DERIVED)
    assert all(alias_tables().sources[number].name == label for (_, label), number in derived().items())


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
