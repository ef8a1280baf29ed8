"""Reading a CSV of arrivals or rates: rows with their line numbers, and one error that says where and why."""

from collections.abc import Iterator
from pathlib import Path

from vocabulary.errors import PeaklineError

ARRIVALS = ("TIMESTAMP", "ContextTokens", "GeneratedTokens")
RATES = ("t_s", "req_per_s")
_LINE_MAX = 10_000


class TrafficFileError(PeaklineError):
    """A traffic file cannot be used; says which file, which line (1 is the header) and why."""

    def __init__(self, path: str, reason: str, line: int | None = None) -> None:
        where = path if line is None else f"{path}, line {line}"
        super().__init__(f"{where}: {reason}")
        self.path, self.line, self.reason = path, line, reason


def rows_of(path: str, columns: tuple[str, ...]) -> Iterator[tuple[int, list[str]]]:
    """Line number and the cells of `columns`, which the header must begin with; empty lines are passed over.

    raises  TrafficFileError when the file cannot be read, has another header, or a row has too few cells
    """
    lines = _lines(path)
    header = [cell.strip() for cell in next(lines, "").split(",")]
    if not any(header):
        raise TrafficFileError(path, "the file is empty")
    if tuple(header[: len(columns)]) != columns:
        raise TrafficFileError(path, _wrong(header, columns), 1)
    for number, line in enumerate(lines, start=2):
        if not line.strip():
            continue
        cells = line.split(",")
        if len(cells) != len(header):
            raise TrafficFileError(path, f"{len(header)} columns are wanted, {len(cells)} are there", number)
        yield number, [cell.strip() for cell in cells[: len(columns)]]


def _wrong(header: list[str], columns: tuple[str, ...]) -> str:
    """A file of the other format was given for this one; whatever else it is, both are named."""
    if any(tuple(header[: len(known)]) == known for known in (ARRIVALS, RATES)):
        return f"the header does not begin with {','.join(columns)}"
    return f"the header begins neither with {','.join(ARRIVALS)} (arrivals) nor with {','.join(RATES)} (rates)"


def _lines(path: str) -> Iterator[str]:
    """One at a time: traces of weeks are larger than memory."""
    number = 0
    try:
        with Path(path).open(encoding="utf-8-sig") as file:
            while line := file.readline(_LINE_MAX + 1):
                number += 1
                if len(line) > _LINE_MAX:
                    raise TrafficFileError(path, f"is longer than {_LINE_MAX:,} characters", number)
                yield line
    except OSError as fault:
        raise TrafficFileError(path, f"cannot be read: {fault.strerror}") from fault
    except UnicodeDecodeError as fault:
        raise TrafficFileError(path, "is no text in UTF-8") from fault
