"""A person sees how far a history is; a program that asked for JSON sees nothing of it."""

import io

from rich.console import Console

from peakline_server.progress import history_progress


def told(*, is_silent: bool) -> str:
    console = Console(file=io.StringIO(), width=100, force_terminal=True)
    with history_progress(console, is_silent=is_silent) as progress:
        progress.update(progress.add_task("history", total=4.0), completed=1.0)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_part_that_was_sent_is_told() -> None:
    assert "history" in told(is_silent=False)
    assert "25%" in told(is_silent=False)


def test_silence_is_silence() -> None:
    assert not told(is_silent=True)
