"""Every end has a status that a caller would see, and a request begins knowing nothing of its fate."""

import pytest

from loadtest.fleet.request import End, Phase
from tests.factories.clusters import asking


@pytest.mark.parametrize("end", End)
def test_every_end_has_a_status(end: End) -> None:
    assert end.status in {0, 200, 400, 429, 499, 500, 502, 503, 504}


def test_only_a_refused_connection_has_no_status() -> None:
    assert [end for end in End if not end.status] == [End.NEVER_CONNECTED]


def test_only_a_completed_request_is_a_success() -> None:
    assert [end for end in End if end.status == 200] == [End.COMPLETED]


def test_a_fresh_request_has_no_times_no_replica_and_lists_of_its_own() -> None:
    one, other = asking(1), asking(1)
    assert one.phase is Phase.NEW
    assert {one.forwarded_s, one.scheduled_s, one.first_token_s, one.ended_s, one.target_tokens} == {-1.0}
    assert (one.place, one.identity, one.exposure) == (-1, None, 0)
    assert one.calls is not other.calls
    assert one.earlier is not other.earlier


def test_two_requests_with_equal_draws_are_still_two() -> None:
    assert asking(1) != asking(1)
