import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vocabulary.outcomes import DefectKind
from vocabulary.pools import Pool
from vocabulary.services import ALL_KINDS, Objectives, Prices, ServiceBook, ServiceDefinition, counted_book
from vocabulary.tiers import RISK_THRESHOLDS

CHAT = Pool("chat", "llama-70b")
HARD = DefectKind.ERROR | DefectKind.TIMEOUT


def book(*definitions: ServiceDefinition) -> ServiceBook:
    return ServiceBook(definitions)


def test_without_definitions_every_kind_counts_and_nothing_is_promised_or_priced() -> None:
    empty = ServiceBook()
    assert empty.counted(CHAT) == ALL_KINDS == sum(DefectKind)
    assert {tier: empty.threshold(CHAT, tier) for tier in RISK_THRESHOLDS} == RISK_THRESHOLDS
    assert empty.threshold(CHAT, "vip") == RISK_THRESHOLDS["general"]
    assert empty.objectives(CHAT, "core") == Objectives(None, None)
    assert empty.prices(CHAT) is None


def test_a_definition_without_contents_is_the_same_as_none() -> None:
    named = book(ServiceDefinition("chat", "llama-70b"))
    assert named.definition(CHAT) == ServiceDefinition("chat", "llama-70b")
    assert named.counted(CHAT) == ALL_KINDS
    assert named.threshold(CHAT, "core") == RISK_THRESHOLDS["core"]


@pytest.mark.parametrize(
    ("service", "model", "matches"),
    [
        ("chat", "llama-70b", True),
        ("*", "*", True),
        ("ch*", "*70b", True),
        ("c*t", "llama*70b", True),
        ("chat*", "*", True),
        ("chat", "llama", False),
        ("hat", "*", False),
        ("CHAT", "*", False),
        ("cha?", "*", False),
        ("[c]hat", "*", False),
        ("", "*", False),
    ],
)
def test_a_star_stands_for_any_characters_and_nothing_else_is_special(
    service: str, model: str, *, matches: bool
) -> None:
    assert ServiceDefinition(service, model).matches(CHAT) is matches


def test_a_star_matches_a_missing_half_and_a_line_break() -> None:
    assert ServiceDefinition().matches(Pool("", "a\nb"))
    assert ServiceDefinition("", "*").matches(Pool("", "m"))


@pytest.mark.parametrize(
    ("patterns", "winner"),
    [
        ([("*", "*"), ("chat", "*")], 1),
        ([("chat", "*"), ("*", "llama-70b")], 0),
        ([("ch*", "llama-70b"), ("chat", "*")], 1),
        ([("c*", "*"), ("cha*", "*")], 1),
        ([("chat", "l*"), ("chat", "llama-70b"), ("chat", "*")], 1),
        ([("chat", "*b"), ("chat", "l*")], 0),
    ],
)
def test_the_most_specific_definition_holds_and_the_first_on_ties(patterns: list[tuple[str, str]], winner: int) -> None:
    definitions = [
        ServiceDefinition(*pattern, risk_thresholds={"core": at / 10}) for at, pattern in enumerate(patterns)
    ]
    assert book(*definitions).threshold(CHAT, "core") == winner / 10


def test_the_winner_holds_alone() -> None:
    found = book(ServiceDefinition(counted=HARD, prices=Prices(1.0, 2.0)), ServiceDefinition("chat"))
    assert (found.counted(CHAT), found.prices(CHAT)) == (ALL_KINDS, None)
    assert found.counted(Pool("search", "m")) == HARD


def test_a_service_tier_without_a_threshold_takes_that_of_general() -> None:
    found = book(ServiceDefinition("chat", risk_thresholds={"general": 0.03, "vip": 0.001}))
    assert [found.threshold(CHAT, tier) for tier in ("vip", "general", "other", "core")] == [0.001, 0.03, 0.03, 0.005]


def test_a_service_tier_tells_each_latency_by_itself() -> None:
    tiers = {"core": Objectives(ttft_s=0.2), "batch": Objectives(e2e_s=600.0)}
    found = book(ServiceDefinition("chat", objectives=Objectives(1.0, 30.0), tier_objectives=tiers))
    assert found.objectives(CHAT, "core") == Objectives(0.2, 30.0)
    assert found.objectives(CHAT, "batch") == Objectives(1.0, 600.0)
    assert found.objectives(CHAT, "general") == Objectives(1.0, 30.0)


def test_equal_books_have_equal_digests_and_any_difference_shows() -> None:
    plain = ServiceDefinition("chat", "m")
    books = [
        ServiceBook(),
        book(plain),
        book(plain, plain),
        book(ServiceDefinition("chat", "n")),
        book(ServiceDefinition("chat", "m", risk_thresholds={"core": 0.1})),
        book(ServiceDefinition("chat", "m", counted=HARD)),
        book(ServiceDefinition("chat", "m", objectives=Objectives(1.0))),
        book(ServiceDefinition("chat", "m", tier_objectives={"core": Objectives(1.0)})),
        book(ServiceDefinition("chat", "m", prices=Prices(1.0, 2.0))),
        book(ServiceDefinition("chat", "m", prices=Prices(1.0, 2.0, currency="EUR"))),
    ]
    assert len({one.digest for one in books}) == len(books)
    thresholds = {"core": 0.1, "batch": 0.2}
    turned = dict(reversed(thresholds.items()))
    one, other = (book(ServiceDefinition(risk_thresholds=told)) for told in (thresholds, turned))
    assert (one, one.digest, hash(one)) == (other, other.digest, hash(other))


def test_the_kinds_that_count_are_told_apart_from_everything_else() -> None:
    priced = book(ServiceDefinition("chat", "m*", counted=HARD, prices=Prices(1.0, 2.0)), ServiceDefinition())
    plain = book(ServiceDefinition("chat", "m*", counted=HARD), ServiceDefinition())
    assert priced.counted_text == plain.counted_text != ServiceBook().counted_text
    assert counted_book(priced.counted_text) == plain


@given(st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5), st.integers(0, sum(DefectKind))), max_size=5))
def test_counted_kinds_survive_being_written_and_read(told: list[tuple[str, str, int]]) -> None:
    written = book(*(ServiceDefinition(name, model, counted=DefectKind(bits)) for name, model, bits in told))
    assert counted_book(written.counted_text) == written


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.inf, math.nan])
def test_an_objective_is_a_positive_number_of_seconds(seconds: float) -> None:
    with pytest.raises(ValueError, match="ttft"):
        Objectives(ttft_s=seconds)
    with pytest.raises(ValueError, match="e2e"):
        Objectives(e2e_s=seconds)


@pytest.mark.parametrize("price", [-0.01, math.inf, math.nan])
def test_a_price_is_never_negative(price: float) -> None:
    for told in ((price, 1.0, None), (1.0, price, None), (1.0, 1.0, price)):
        with pytest.raises(ValueError, match="0 or more"):
            Prices(*told)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, math.nan])
def test_a_threshold_is_a_share(threshold: float) -> None:
    with pytest.raises(ValueError, match="core"):
        ServiceDefinition(risk_thresholds={"core": threshold})
