"""Secrets that are kept in files of their own."""

from pathlib import Path
from typing import Final

from vocabulary.errors import PeaklineError

BYTES_MAX: Final = 1 << 16


class SecretFileError(PeaklineError):
    """No secret can be read there; the message does not repeat what was given, for it may be the secret itself."""


def read_secret(written: object, folder: Path) -> str:
    """The content of a file without the line end that editors add.

    written  path as somebody wrote it
    folder   that a relative path is meant from
    raises   SecretFileError
    """
    if not isinstance(written, str) or not written:
        raise SecretFileError("the path of the file that holds the secret is wanted here")
    try:
        with (folder / Path(written).expanduser()).open("rb") as file:
            content = file.read(BYTES_MAX + 1)
        text = content.decode()
    except OSError as fault:
        raise SecretFileError(f"the file that holds the secret cannot be read: {fault.strerror}") from None
    except (ValueError, RuntimeError):
        raise SecretFileError("this is no file that holds a secret") from None
    text = text.removesuffix("\n").removesuffix("\r")
    if not text or len(content) > BYTES_MAX:
        raise SecretFileError(f"the file that holds the secret is empty or longer than {BYTES_MAX:,} bytes")
    return text
