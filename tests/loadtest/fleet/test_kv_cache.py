"""The KV cache's books: who uses it, who is evicted."""

from hypothesis import given
from hypothesis import strategies as st

from loadtest.fleet.kv_cache import KvCache


def filled(*contexts: tuple[int, int], capacity: int = 1000) -> KvCache:
    kv = KvCache(capacity)
    for session, tokens in contexts:
        kv.keep(session, tokens)
    return kv


def test_a_finished_turns_context_stays_until_room_is_needed() -> None:
    kv = filled((1, 300), (2, 300))
    kv.take(400)
    assert (kv.contexts, kv.room) == ({1: 300, 2: 300}, 0)
    kv.take(1)
    assert (kv.contexts, kv.evictions) == ({2: 300}, 1)


def test_the_oldest_context_goes_first() -> None:
    kv = filled((1, 300), (2, 300), (3, 300))
    kv.reuse(1, 300)
    kv.keep(1, 350)
    kv.take(100)
    assert list(kv.contexts) == [3, 1]


def test_a_reused_context_leaves_the_cache_and_counts_as_far_as_it_serves() -> None:
    kv = filled((1, 300))
    assert kv.reuse(1, 120) == 120
    assert (kv.cached, kv.contexts) == (0, {})
    assert kv.reuse(1, 120) == 0


def test_a_longer_context_replaces_the_same_sessions_shorter_one() -> None:
    kv = filled((1, 300), (1, 500))
    assert (kv.cached, kv.contexts) == (500, {1: 500})


def test_forgotten_contexts_are_no_evictions() -> None:
    kv = filled((1, 300))
    kv.forget()
    assert (kv.cached, kv.contexts, kv.evictions) == (0, {}, 0)


def test_giving_back_never_leaves_less_than_nothing() -> None:
    kv = filled()
    kv.take(0.1)
    kv.take(0.2)
    kv.give_back(0.3)
    kv.give_back(1e-9)
    assert kv.used == 0.0


@given(
    st.lists(
        st.tuples(st.sampled_from(("take", "give", "keep", "reuse", "shrink")), st.integers(0, 5), st.integers(1, 400))
    )
)
def test_the_books_balance_whatever_is_done(acts: list[tuple[str, int, int]]) -> None:
    kv, taken = KvCache(1000), [0]
    for act, session, tokens in acts:
        if act == "take" and kv.used + tokens <= kv.capacity:
            kv.take(tokens)
            taken.append(tokens)
        elif act == "give":
            kv.give_back(taken.pop() if len(taken) > 1 else 0)
        elif act == "keep" and tokens <= kv.room:
            kv.keep(session, tokens)
        elif act == "reuse":
            assert 0 <= kv.reuse(session, tokens) <= tokens
        elif act == "shrink":
            kv.capacity = max(int(kv.used), kv.capacity - tokens)
            kv.evict_to(0.0)
        assert kv.used == sum(taken)
        assert kv.cached == sum(kv.contexts.values())
        assert 0 <= kv.used <= kv.used + kv.cached <= kv.capacity
