"""Which replica gets a request."""

from collections import Counter

import pytest
from msgspec.structs import replace

from loadtest.fleet.pool import Pool
from loadtest.fleet.request import Request
from loadtest.fleet.router import Router
from tests.factories.clusters import ROOMY, Scene, asking, cluster_plan


def pool_of(replicas: int) -> tuple[Scene, Pool]:
    scene = Scene(cluster_plan(replace(ROOMY, replicas=replicas)))
    return scene, scene.simulation.pools[0]


def choose(router: Router, request: Request, *shut: int) -> int:
    replica = router.choose(request, frozenset(shut))
    assert replica is not None
    return replica.place


def load(pool: Pool, place: int, requests: int) -> None:
    for number in range(requests):
        pool.replicas[place].submit(asking(1_000 * place + number, output=5_000))


def test_the_least_loaded_gets_it() -> None:
    _, pool = pool_of(4)
    for place, requests in enumerate((3, 1, 2, 4)):
        load(pool, place, requests)
    router = Router(pool, affinity=True)
    assert {choose(router, asking(number)) for number in range(8)} == {1}


def test_equals_take_turns() -> None:
    _, pool = pool_of(4)
    router = Router(pool, affinity=True)
    assert Counter(choose(router, asking(number)) for number in range(40)) == dict.fromkeys(range(4), 10)
    for place in range(4):
        load(pool, place, 2)
    assert Counter(choose(router, asking(number)) for number in range(40)) == dict.fromkeys(range(4), 10)


def test_open_breakers_and_replicas_that_are_not_ready_are_left_out() -> None:
    _, pool = pool_of(4)
    router = Router(pool, affinity=True)
    pool.evict([3])
    assert {choose(router, asking(number), 0) for number in range(8)} == {1, 2}
    assert router.choose(asking(1), {0, 1, 2}) is None


class TestAffinity:
    """A session returns to the replica that knows it."""

    @staticmethod
    def know(scene: Scene, pool: Pool, session: int) -> int:
        """Let a first turn be answered; where that was."""
        first = asking(session, output=2, session=session, arrival_s=scene.simulation.now_s)
        scene.send(first)
        scene.run(scene.simulation.now_s + 10.0)
        assert pool.replicas[first.place].holds(session)
        return first.place

    @pytest.fixture
    def scene(self) -> Scene:
        return pool_of(4)[0]

    @pytest.fixture
    def pool(self, scene: Scene) -> Pool:
        return scene.simulation.pools[0]

    def test_further_turns_go_where_the_context_is(self, scene: Scene, pool: Pool) -> None:
        for session in range(20):
            place = self.know(scene, pool, session)
            now_s = scene.simulation.now_s
            again = asking(100 + session, output=2, session=session, prefix_tokens=102, prompt=200, arrival_s=now_s)
            scene.send(again)
            scene.run(scene.simulation.now_s + 10.0)
            assert again.place == place
            assert again.cached_tokens >= 100

    def test_not_when_that_one_has_four_more_in_flight(self, pool: Pool) -> None:
        router = Router(pool, affinity=True)
        place = choose(router, asking(1, session=7))
        pool.replicas[place].kv.keep(7, 100)
        load(pool, place, 4)
        for other in {0, 1, 2, 3} - {place}:
            load(pool, other, 1)
        turn = asking(2, session=7, prefix_tokens=100)
        assert choose(router, turn) == place
        load(pool, place, 1)
        assert choose(router, turn) != place

    def test_not_when_it_is_gone_or_has_forgotten(self, pool: Pool) -> None:
        router = Router(pool, affinity=True)
        turn = asking(2, session=7, prefix_tokens=100)
        place = choose(router, asking(1, session=7))
        pool.replicas[place].kv.keep(7, 100)
        assert choose(router, turn, place) != place
        forgotten = asking(2, session=8, prefix_tokens=100)
        assert len({choose(router, forgotten) for _ in range(4)}) == 4

    def test_not_for_models_that_do_not_want_it(self, pool: Pool) -> None:
        for replica in pool.replicas:
            replica.kv.keep(7, 100)
        router = Router(pool, affinity=False)
        turn = asking(2, session=7, prefix_tokens=100)
        assert len({choose(router, turn) for _ in range(4)}) == 4

    def test_only_the_latest_sessions_are_remembered(self, pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("loadtest.fleet.router._SESSIONS_MAX", 3)
        router = Router(pool, affinity=True)
        for session in (1, 2, 3, 1, 4):
            choose(router, asking(session, session=session))
        assert list(router._places) == [3, 1, 4]


class TestCanary:
    """Canaries get their share."""

    @staticmethod
    def canary(*places: int) -> tuple[Pool, Router]:
        _, pool = pool_of(5)
        pool.canary, pool.canary_share = frozenset(places), 0.1
        return pool, Router(pool, affinity=True)

    def test_they_get_their_share_within_its_binomial_error(self) -> None:
        _, router = self.canary(2)
        count = 10_000
        found = sum(choose(router, asking(number)) == 2 for number in range(count))
        assert abs(found - 0.1 * count) < 4 * (count * 0.1 * 0.9) ** 0.5

    def test_a_request_is_on_one_side_whenever_it_is_routed(self) -> None:
        _, router = self.canary(2, 3)
        for number in range(100):
            assert len({choose(router, asking(number)) in {2, 3} for _ in range(5)}) == 1

    def test_a_known_session_does_not_cross_over(self) -> None:
        pool, router = self.canary(2)
        for replica in pool.replicas:
            replica.kv.keep(7, 100)
        turns = [asking(number, session=7, prefix_tokens=100) for number in range(1_000)]
        assert sum(choose(router, turn) == 2 for turn in turns) < 150

    def test_others_take_it_all_while_no_canary_is_ready(self) -> None:
        _, router = self.canary(2)
        assert {choose(router, asking(number), 2) for number in range(200)} == {0, 1, 3, 4}

    def test_canaries_take_it_all_while_nobody_else_is_ready(self) -> None:
        _, router = self.canary(2)
        assert {choose(router, asking(number), 0, 1, 3, 4) for number in range(200)} == {2}

    def test_canaries_everywhere_take_it_all(self) -> None:
        _, router = self.canary(0, 1, 2, 3, 4)
        assert {choose(router, asking(number)) for number in range(200)} == {0, 1, 2, 3, 4}

    def test_a_canary_without_a_share_gets_nothing(self) -> None:
        pool, router = self.canary(2)
        pool.canary_share = 0.0
        assert {choose(router, asking(number)) for number in range(200)} == {0, 1, 3, 4}

    def test_idle_replicas_beside_a_canary_share_evenly(self) -> None:
        pool, router = self.canary(4)
        pool.canary_share = 0.3
        found = Counter(choose(router, asking(number)) for number in range(4_000))
        assert max(found[place] for place in range(4)) < 1.1 * min(found[place] for place in range(4))
