"""Real files: what is whole and good is adopted once, what is not leaves the old one in force."""

import logging
import os
import threading
from pathlib import Path

import pytest

from peakline_server.reloading import Change, Reloadable, Reloader, digest, stamp
from vocabulary.errors import PeaklineError


class Rules:
    """A list of numbers in a file: the smallest thing that can be reloaded."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.changes: list[Change] = []
        self.adopted: list[list[int]] = []
        self.remarks: tuple[str, ...] = ()
        self.times = 0
        file.write_text("1\n")
        thing = Reloadable("rules", (file,), self.load, self.adopt)
        self.reloader = Reloader([thing], self.changes.append, self.now_ns)

    def now_ns(self) -> int:
        self.times += 1
        return self.times

    def load(self) -> list[int]:
        try:
            return [int(line) for line in self.file.read_text().splitlines()]
        except (OSError, ValueError):
            raise PeaklineError("these are no numbers") from None

    def adopt(self, content: list[int]) -> tuple[str, ...]:
        self.adopted.append(content)
        return self.remarks

    def looks(self, count: int = 2) -> None:
        for _ in range(count):
            self.reloader.look()


@pytest.fixture
def rules(tmp_path: Path) -> Rules:
    return Rules(tmp_path / "rules")


def test_what_did_not_change_is_not_read_again(rules: Rules) -> None:
    rules.looks(5)
    os.utime(rules.file, (1, 1))
    rules.looks(5)
    assert (rules.adopted, rules.changes) == ([], [])


def test_a_changed_file_is_adopted_once_and_told(rules: Rules) -> None:
    before = digest([rules.file])
    rules.file.write_text("2\n")
    rules.looks(5)
    assert rules.adopted == [[2]]
    assert rules.changes == [Change("rules", "rules adopted", before, digest([rules.file]), 1, is_adopted=True)]


def test_a_file_that_an_editor_replaces_is_adopted(rules: Rules, tmp_path: Path) -> None:
    (tmp_path / "new").write_text("2\n")
    (tmp_path / "new").rename(rules.file)
    rules.looks()
    assert rules.adopted == [[2]]


def test_a_change_without_a_new_length_or_time_is_seen(rules: Rules) -> None:
    before = rules.file.stat()
    rules.file.write_text("2\n")
    os.utime(rules.file, ns=(before.st_atime_ns, before.st_mtime_ns))
    rules.looks()
    assert rules.adopted == [[2]]


def test_a_file_that_is_still_written_is_left_alone_until_it_rests(rules: Rules) -> None:
    with rules.file.open("w") as file:
        for number in (2, 3, 4):
            file.write(f"{number}\n")
            file.flush()
            rules.looks(1)
            assert rules.adopted == []
    rules.looks(1)
    assert rules.adopted == [[2, 3, 4]]


def test_who_asks_for_it_gets_it_at_once(rules: Rules) -> None:
    rules.file.write_text("2\n")
    rules.reloader.reload()
    assert rules.adopted == [[2]]
    rules.reloader.reload()
    rules.looks()
    assert rules.adopted == [[2]]


def test_a_bad_file_leaves_the_old_one_and_is_told_once(rules: Rules, caplog: pytest.LogCaptureFixture) -> None:
    rules.file.write_text("x\n")
    rules.looks(5)
    assert rules.adopted == []
    assert rules.reloader.failing() == ("rules",)
    assert rules.reloader.problems() == ("rules: these are no numbers",)
    assert [(change.summary, change.is_adopted) for change in rules.changes] == [
        ("rules not adopted: these are no numbers", False)
    ]
    assert [record.message for record in caplog.records] == [
        "rules not adopted, the old one goes on: these are no numbers"
    ]


def test_several_mistakes_are_several_problems_and_one_change(rules: Rules) -> None:
    def load() -> list[int]:
        raise PeaklineError("first\nsecond")

    reloader = Reloader([Reloadable("rules", (rules.file,), load, rules.adopt)], rules.changes.append, rules.now_ns)
    rules.file.write_text("x\n")
    reloader.reload()
    assert reloader.problems() == ("rules: first", "rules: second")
    assert [change.summary for change in rules.changes] == ["rules not adopted: first; second"]


def test_a_mended_file_is_adopted_and_the_problem_ends(rules: Rules) -> None:
    before = digest([rules.file])
    rules.file.write_text("x\n")
    rules.looks()
    rules.file.write_text("2\n")
    rules.looks()
    assert rules.adopted == [[2]]
    assert (rules.reloader.failing(), rules.reloader.problems()) == ((), ())
    assert rules.changes[-1].before_digest == before


def test_a_file_that_is_put_back_as_it_was_ends_the_problem_without_a_change(rules: Rules) -> None:
    rules.file.write_text("x\n")
    rules.looks()
    rules.file.write_text("1\n")
    rules.looks()
    assert rules.reloader.failing() == ()
    assert rules.adopted == []
    assert len(rules.changes) == 1


def test_a_file_that_vanishes_leaves_the_old_one_in_force_until_it_is_back(rules: Rules) -> None:
    rules.file.unlink()
    rules.looks()
    assert rules.reloader.failing() == ("rules",)
    rules.file.write_text("2\n")
    rules.looks()
    assert rules.reloader.failing() == ()
    assert rules.adopted == [[2]]


def test_what_mends_a_refused_file_may_be_elsewhere(rules: Rules, tmp_path: Path) -> None:
    other = tmp_path / "other"

    def load() -> list[int]:
        if not other.exists():
            raise PeaklineError("the other file is missing")
        return rules.load()

    reloader = Reloader([Reloadable("rules", (rules.file,), load, rules.adopt)], rules.changes.append, rules.now_ns)
    rules.file.write_text("2\n")
    reloader.reload()
    assert reloader.failing() == ("rules",)
    other.touch()
    reloader.look()
    assert (reloader.failing(), rules.adopted) == ((), [[2]])


def test_a_file_that_changes_while_it_is_read_is_not_judged_by_what_was_read(rules: Rules) -> None:
    def load() -> list[int]:
        content = rules.load()
        if content == [2]:
            rules.file.write_text("3\n")
        return content

    reloader = Reloader([Reloadable("rules", (rules.file,), load, rules.adopt)], rules.changes.append, rules.now_ns)
    rules.file.write_text("2\n")
    reloader.reload()
    assert rules.adopted == []
    reloader.look()
    reloader.look()
    assert rules.adopted == [[3]]


def test_what_a_person_must_know_stays_until_the_next_adoption(rules: Rules, caplog: pytest.LogCaptureFixture) -> None:
    rules.remarks = ("restart to use it",)
    rules.file.write_text("2\n")
    rules.looks(5)
    assert rules.reloader.problems() == ("restart to use it",)
    assert rules.reloader.failing() == ()
    assert rules.changes[0].summary == "rules adopted; restart to use it"
    assert [record.message for record in caplog.records if record.levelno == logging.WARNING] == ["restart to use it"]
    rules.remarks = ()
    rules.file.write_text("3\n")
    rules.looks()
    assert rules.reloader.problems() == ()


def test_each_thing_stands_for_itself(rules: Rules, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("1\n")
    taken: list[str] = []

    def take(text: str) -> tuple[str, ...]:
        taken.append(text)
        return ()

    thing = Reloadable("other", (other,), other.read_text, take)
    reloader = Reloader(
        [Reloadable("rules", (rules.file,), rules.load, rules.adopt), thing], rules.changes.append, rules.now_ns
    )
    rules.file.write_text("x\n")
    other.write_text("2\n")
    reloader.reload()
    assert (reloader.failing(), taken) == (("rules",), ["2\n"])


def test_looks_and_reloads_of_several_threads_adopt_once(rules: Rules) -> None:
    rules.file.write_text("2\n")
    threads = [threading.Thread(target=rules.reloader.reload) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert rules.adopted == [[2]]


def test_a_missing_file_has_a_stamp_and_a_digest_of_its_own(tmp_path: Path) -> None:
    empty, absent = tmp_path / "empty", tmp_path / "absent"
    empty.touch()
    assert stamp([absent]) == ((),)
    assert digest([absent]) != digest([empty])


def test_what_changed_between_reading_and_watching_is_adopted(rules: Rules) -> None:
    held = digest([rules.file])
    rules.file.write_text("2\n")
    thing = Reloadable("rules", (rules.file,), rules.load, rules.adopt, held)
    reloader = Reloader([thing], rules.changes.append, rules.now_ns)
    reloader.look()
    reloader.look()
    assert rules.adopted == [[2]]
    assert rules.changes[0].before_digest == held


def test_a_pipe_in_place_of_a_file_is_refused_and_not_waited_for(rules: Rules) -> None:
    rules.file.unlink()
    os.mkfifo(rules.file)
    rules.looks()
    assert rules.reloader.problems() == (f"rules: {rules.file} is a pipe and no file",)


def test_of_a_file_without_end_only_the_beginning_is_read(rules: Rules) -> None:
    with rules.file.open("wb") as file:
        file.truncate(1 << 40)
    assert digest([rules.file]) == digest([rules.file])
    assert digest([Path("/dev/zero")])


@pytest.mark.parametrize(("mended", "how"), [("3\n", "and adopted"), ("1\n", "as it was before")])
def test_the_log_says_that_a_refusal_is_over(
    rules: Rules, caplog: pytest.LogCaptureFixture, mended: str, how: str
) -> None:
    rules.file.write_text("x\n")
    rules.looks()
    rules.file.write_text(mended)
    rules.looks()
    assert [record.message for record in caplog.records][-1].endswith(how)
