"""Bodies wait together, are stored as one group, and get their answer after that."""

import threading
import time
from collections.abc import Sequence

import pytest

from collector.group_commit import GroupCommitter, GroupLimits, UnstorableError
from vocabulary.errors import PeaklineError, StoreUnavailableError

QUICK = GroupLimits(linger_s=0)
SLOW = GroupLimits(linger_s=0.3)


class BadBodyError(PeaklineError):
    """A body that is known to be bad for good."""


class _Commit:
    """Remembers groups; answers every body with its double."""

    def __init__(self) -> None:
        self.groups: list[list[int]] = []
        self.prepared = 0
        self.gate = threading.Event()
        self.gate.set()

    def prepare(self, bodies: Sequence[int]) -> list[int]:
        if 99 in bodies or (98 in bodies and self.prepared):
            raise ZeroDivisionError
        if 97 in bodies:
            raise BadBodyError("bytes")
        self.prepared += 1
        return list(bodies)

    def commit(self, ready: list[int]) -> list[int]:
        group = ready
        assert self.gate.wait(5)
        if 0 in group:
            raise ZeroDivisionError
        if -1 in group:
            message = "disk full"
            raise StoreUnavailableError(message)
        self.groups.append(list(group))
        return [2 * body for body in group]


def test_bodies_that_arrive_together_are_one_group_and_each_gets_its_own_answer() -> None:
    commit = _Commit()
    committer = GroupCommitter(commit, SLOW)
    answers = [committer.submit(body, 0) for body in range(1, 6)]
    assert [answer.result(timeout=5) for answer in answers] == [2, 4, 6, 8, 10]
    committer.close()
    assert commit.groups == [[1, 2, 3, 4, 5]]


def test_a_group_is_closed_by_its_bytes() -> None:
    commit = _Commit()
    committer = GroupCommitter(commit, GroupLimits(bytes_max=100, linger_s=0.3))
    for _ in range(4):
        committer.admit(60)
    answers = [committer.submit(body, 60) for body in range(1, 5)]
    for answer in answers:
        answer.result(timeout=5)
    committer.close()
    assert commit.groups == [[1, 2], [3, 4]]


def test_the_next_group_is_prepared_while_one_is_stored() -> None:
    commit = _Commit()
    commit.gate.clear()
    committer = GroupCommitter(commit, QUICK)
    answers = [committer.submit(1, 0)]
    while commit.prepared < 2:
        if commit.prepared == 1 and len(answers) == 1:
            answers.append(committer.submit(2, 0))
        time.sleep(0.001)
    assert commit.groups == []
    commit.gate.set()
    assert [answer.result(timeout=5) for answer in answers] == [2, 4]
    committer.close()


def test_the_answer_comes_after_the_commit() -> None:
    commit = _Commit()
    commit.gate.clear()
    committer = GroupCommitter(commit, QUICK)
    answer = committer.submit(1, 0)
    assert not answer.done()
    commit.gate.set()
    answer.result(timeout=5)
    committer.close()


def test_a_full_queue_refuses_and_gives_its_room_back() -> None:
    committer = GroupCommitter(_Commit(), GroupLimits(queued_bytes_max=100, linger_s=0))
    committer.admit(80)
    with pytest.raises(StoreUnavailableError):
        committer.admit(30)
    committer.submit(1, 80).result(timeout=5)
    committer.admit(30)
    committer.release(30)
    committer.close()
    assert committer.queued_bytes == 0


def test_one_body_larger_than_the_room_is_admitted_alone() -> None:
    committer = GroupCommitter(_Commit(), GroupLimits(queued_bytes_max=100))
    committer.admit(500)
    committer.release(500)
    committer.close()


def test_a_failing_store_fails_the_group_as_retryable() -> None:
    committer = GroupCommitter(_Commit(), QUICK)
    with pytest.raises(StoreUnavailableError, match="disk full"):
        committer.submit(-1, 0).result(timeout=5)
    committer.close()


@pytest.mark.parametrize("breaking", [0, 99])
def test_a_body_that_breaks_its_group_does_not_cost_its_neighbours(
    caplog: pytest.LogCaptureFixture, breaking: int
) -> None:
    commit = _Commit()
    committer = GroupCommitter(commit, SLOW)
    good, bad = committer.submit(1, 0), committer.submit(breaking, 0)
    assert good.result(timeout=5) == 2
    with pytest.raises(UnstorableError) as raised:
        bad.result(timeout=5)
    committer.close()
    assert raised.value.permanent
    assert commit.groups == [[1]]
    assert "could not be stored" in caplog.text


def test_a_body_that_is_bad_for_good_is_told_so_in_its_own_words() -> None:
    committer = GroupCommitter(_Commit(), QUICK)
    with pytest.raises(BadBodyError, match="bytes"):
        committer.submit(97, 0).result(timeout=5)
    committer.close()


def test_a_body_that_breaks_only_when_tried_again_does_not_stop_the_committer() -> None:
    committer = GroupCommitter(_Commit(), SLOW)
    answers = [committer.submit(body, 0) for body in (0, 98, 3)]
    for broken in answers[:2]:
        with pytest.raises(UnstorableError):
            broken.result(timeout=5)
    assert answers[2].result(timeout=5) == 6
    assert committer.submit(4, 0).result(timeout=5) == 8
    committer.close()


def test_closing_stores_what_waits_and_refuses_the_rest() -> None:
    commit = _Commit()
    committer = GroupCommitter(commit, GroupLimits(linger_s=1))
    answer = committer.submit(1, 0)
    committer.close()
    assert answer.result(timeout=0) == 2
    with pytest.raises(StoreUnavailableError):
        committer.admit(1)
