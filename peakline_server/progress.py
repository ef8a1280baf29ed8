"""The bar of a long delivery."""

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn


def history_progress(console: Console, *, is_silent: bool) -> Progress:
    """How much of a history has been sent, and how long the rest may take."""
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    return Progress(*columns, TimeRemainingColumn(), console=console, disable=is_silent)
