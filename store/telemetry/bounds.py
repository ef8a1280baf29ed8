"""The bounds of reads; a refusal says which one."""

from vocabulary.errors import RefusedReadError
from vocabulary.pools import Window

WINDOW_DAYS = 400


def check_window(window: Window, seconds: float = WINDOW_DAYS * 86_400) -> None:
    """Refuse a window that is longer than `seconds`."""
    if window.seconds > seconds:
        message = f"The window is {window.seconds:.0f} s long; at most {seconds:.0f} s can be read at once."
        raise RefusedReadError(message)


def check_limit(limit: int, most: int, what: str) -> None:
    """Refuse a row limit outside 1..most."""
    if not 1 <= limit <= most:
        message = f"{limit} {what} were asked for; between 1 and {most} can be read at once."
        raise RefusedReadError(message)
