from hypothesis import given
from hypothesis import strategies as st

from loadtest.endpoint.answers import DIVERGING_SHARE, Sampling, cut_at_stop, natural_length, pieces, tokens_to_stop
from loadtest.endpoint.tokens import count_tokens
from loadtest.fleet.plan import Lengths

GREEDY = Sampling(temperature=0.0)
LENGTHS = Lengths(median=100, spread=0.7, largest=400)


def keys(count: int) -> list[bytes]:
    return [GREEDY.key("m", str(number).encode()) for number in range(count)]


def test_greedy_depends_on_model_and_prompt_alone() -> None:
    assert GREEDY.key("m", b"p") == Sampling(temperature=0.0, seed=7).key("m", b"p")
    assert len({GREEDY.key(model, prompt) for model in ("m", "n") for prompt in (b"p", b"q")}) == 4


def test_a_seed_fixes_a_warm_answer_and_chance_decides_without_one() -> None:
    assert Sampling(0.7, 1).key("m", b"p") == Sampling(0.7, 1).key("m", b"p")
    assert len({Sampling(0.7, seed).key("m", b"p") for seed in (1, 2)} | {Sampling(0.9, 1).key("m", b"p")}) == 3
    assert Sampling(0.7).key("m", b"p") != Sampling(0.7).key("m", b"p")


@given(st.integers(0, 300), st.binary(min_size=1, max_size=8))
def test_an_answer_has_as_many_tokens_as_asked_for_by_the_documented_count(count: int, key: bytes) -> None:
    spoken = pieces(key, count)
    assert len(spoken) == count
    assert count_tokens("".join(spoken)) == count


@given(st.integers(0, 120), st.integers(0, 120), st.sampled_from(["", "others"]))
def test_a_shorter_answer_is_a_part_of_a_longer_one(one: int, other: int, weights: str) -> None:
    for key in keys(12):
        shorter, longer = sorted([pieces(key, one, weights), pieces(key, other, weights)], key=len)
        assert longer[: len(shorter)] == shorter


def test_other_weights_leave_the_common_text_for_a_part_of_the_prompts() -> None:
    pairs = [(pieces(key, 400), pieces(key, 400, "others")) for key in keys(1000)]
    differing = [(one, other) for one, other in pairs if one != other]
    assert abs(len(differing) / len(pairs) - DIVERGING_SHARE) < 0.04
    assert all(one[0] == other[0] for one, other in differing)
    assert any(pieces(key, 400, "others") != pieces(key, 400, "third") for key in keys(100))


def test_lengths_have_the_median_of_the_plan_and_stay_in_its_bounds() -> None:
    drawn = sorted(natural_length(key, LENGTHS) for key in keys(2000))
    assert 90 < drawn[1000] < 110
    assert drawn[0] >= 1
    assert drawn[-1] <= LENGTHS.largest
    assert natural_length(b"k", LENGTHS) == natural_length(b"k", LENGTHS)


def test_a_stop_text_cuts_where_it_begins_even_across_tokens() -> None:
    spoken = ["One", " two", " three", "."]
    assert cut_at_stop(spoken, ["wo th"]) == ["One", " t"]
    assert cut_at_stop(spoken, ["three", "One"]) == []
    assert cut_at_stop(spoken, ["four"]) == spoken
    assert cut_at_stop(spoken, [" two"]) == ["One"]


def test_the_tokens_up_to_the_end_of_the_first_complete_stop_text_are_produced() -> None:
    spoken = ["One", " two", " three", "."]
    assert tokens_to_stop(spoken, ["wo th"]) == 3
    assert tokens_to_stop(spoken, ["three.", "two"]) == 2
    assert tokens_to_stop(spoken, ["three."]) == 4
    assert tokens_to_stop(spoken, ["One"]) == 1
    assert tokens_to_stop(spoken, ["four"]) is None


def test_text_reads_as_sentences() -> None:
    text = "".join(pieces(b"k", 300))
    assert text[0].isupper()
    assert all(part[1].isupper() for part in text.split(".")[1:-1])
    assert "  " not in text
