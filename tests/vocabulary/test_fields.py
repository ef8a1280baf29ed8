from vocabulary.fields import BY_NAME, CANONICAL, TOKENS, Kind


def test_a_field_has_one_name_and_one_sentence() -> None:
    assert len(BY_NAME) == len(CANONICAL)
    assert not [field.name for field in CANONICAL if not field.sentence.endswith(".")]


def test_only_token_counts_are_summed_over_attempts() -> None:
    summed = {field.name for field in CANONICAL if field.summed}
    assert summed == {field.name for field in TOKENS} - {"context_window"}


def test_durations_are_numbers_of_seconds_and_tokens_are_whole() -> None:
    assert {field.kind for field in CANONICAL if field.name.endswith("_s")} == {Kind.NUMBER}
    assert {field.kind for field in CANONICAL if field.name.endswith("_tokens")} == {Kind.INTEGER}


def test_a_dictionary_is_kept_for_texts_only() -> None:
    assert {field.kind for field in CANONICAL if field.repeats} == {Kind.TEXT}
