"""Further attempts at an engine."""

import pytest

from loadtest.fleet.attempts import has_answered, set_aside, tried
from loadtest.fleet.request import End, Phase, Request
from tests.factories.clusters import Scene, asking


def failed() -> Request:
    """A request that has been at a replica for a second."""
    scene = Scene()
    request = asking(1)
    scene.send(request)
    scene.run(1.0)
    scene.simulation.pools[0].replicas[request.place].abort(request)
    return request


def test_the_attempt_is_kept_as_it_was() -> None:
    request = failed()
    identity, tokens, first_token_s = request.identity, request.tokens, request.first_token_s
    set_aside(request, End.REPLICA_LOST, 1.0)
    (kept,) = request.earlier
    assert tried(request) == {identity.place if identity else -1}
    assert (kept.identity, kept.tokens, kept.first_token_s) == (identity, tokens, first_token_s)
    assert (kept.end, kept.forwarded_s, kept.scheduled_s, kept.ended_s) == (End.REPLICA_LOST, 0.0, 0.0, 1.0)


def test_nothing_of_it_is_left_in_the_request() -> None:
    request, fresh = failed(), asking(1)
    set_aside(request, End.REPLICA_LOST, 1.0)
    names = "forwarded_s scheduled_s first_token_s tokens target_tokens cached_tokens is_cut fails hangs is_base place"
    assert [getattr(request, name) for name in names.split()] == [getattr(fresh, name) for name in names.split()]
    assert (request.phase, request.identity, request.skew_ns) == (Phase.BACKOFF, None, 0)


def test_what_was_at_no_replica_is_no_attempt() -> None:
    with pytest.raises(AssertionError):
        set_aside(asking(1), End.OVERLOADED, 1.0)


def test_an_answer_has_begun_when_a_stream_has_its_first_token() -> None:
    stream, whole = asking(1), asking(2, is_streamed=False)
    assert not has_answered(stream)
    stream.first_token_s = whole.first_token_s = 1.0
    assert has_answered(stream)
    assert not has_answered(whole)
