"""The kinds of value that a setting can have, read from text as people write it, and written that way again."""

import ipaddress
import re
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, BeforeValidator, SecretStr, ValidationInfo, WithJsonSchema

_DURATION: Final = r"\d+(?:\.\d+)?(?:ms|s|m|h|d)"
_SIZE: Final = r"\d+(?:B|KiB|MiB|GiB)"
_SHARE: Final = r"\d+(?:\.\d+)?\s?%?"
_DURATION_PARTS = re.compile(r"(?P<count>\d+(?:\.\d+)?)(?P<unit>ms|s|m|h|d)", re.ASCII)
_SIZE_PARTS = re.compile(r"(?P<count>\d+)\s?(?P<unit>B|KiB|MiB|GiB)", re.ASCII)
_SHARE_PARTS = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?P<percent>\s?%)?", re.ASCII)
_UNITS_S = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_UNITS_BYTES = {"GiB": 1 << 30, "MiB": 1 << 20, "KiB": 1 << 10, "B": 1}
_HOST_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?\.?", re.ASCII)
_DURATION_MAX = timedelta(days=3650)
_DIGITS_MAX: Final = 12


@dataclass(frozen=True, slots=True)
class Word:
    """What people call a kind of value; stands in the annotation of a setting."""

    text: str


def duration(value: Any) -> timedelta:
    """A length of time such as 500ms, 30s, 5m, 12h, 90d.

    raises  ValueError
    """
    if isinstance(value, timedelta):
        return value
    found = _DURATION_PARTS.fullmatch(value) if isinstance(value, str) else None
    if found is None or len(found["count"]) > _DIGITS_MAX:
        raise ValueError("a duration such as 30s, 5m, 12h or 90d is wanted here")
    length = timedelta(seconds=float(found["count"]) * _UNITS_S[found["unit"]])
    if not timedelta() < length <= _DURATION_MAX:
        raise ValueError(f"a duration must be longer than 0s and at most {_DURATION_MAX.days}d")
    return length


def duration_text(length: timedelta) -> str:
    """As `duration` reads it, in the largest unit without a fraction."""
    milliseconds = round(length / timedelta(milliseconds=1))
    for unit, seconds in _UNITS_S.items():
        step = round(seconds * 1000)
        if milliseconds % step == 0:
            return f"{milliseconds // step}{unit}"
    raise AssertionError


def size(value: Any) -> int:
    """Bytes of 512KiB, 64MiB or 1GiB.

    raises  ValueError
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    found = _SIZE_PARTS.fullmatch(value) if isinstance(value, str) else None
    if found is None or len(found["count"]) > _DIGITS_MAX:
        raise ValueError("a size such as 512KiB, 64MiB or 1GiB is wanted here")
    return int(found["count"]) * _UNITS_BYTES[found["unit"]]


def size_text(count: int) -> str:
    """As `size` reads it, in the largest unit without a fraction."""
    return next(f"{count // step}{unit}" for unit, step in _UNITS_BYTES.items() if count % step == 0)


def share(value: Any) -> float:
    """A share from 0 to 1 of 0.005 or 0.5%.

    raises  ValueError
    """
    found = _SHARE_PARTS.fullmatch(str(value)) if not isinstance(value, bool) else None
    number = float(found["number"]) / (100 if found["percent"] else 1) if found else -1.0
    if not 0 <= number <= 1:
        raise ValueError("a share such as 0.005 or 0.5% is wanted here, from 0 to 1")
    return number


def path(value: Any, info: ValidationInfo) -> Path:
    """A path; a relative one is meant from the folder that the context names.

    raises  ValueError
    """
    if not isinstance(value, str | Path) or not str(value) or "\0" in str(value):
        raise ValueError("a path is wanted here")
    folder: Path = (info.context or {}).get("folder", Path())
    try:
        return folder / Path(value).expanduser()
    except RuntimeError:
        raise ValueError("there is no such home folder; write the whole path") from None


def existing(found: Path) -> Path:
    """The path of a file that is there.

    raises  ValueError
    """
    try:
        is_file = found.is_file() or found.is_char_device()
    except OSError as fault:
        raise ValueError(f"{found} cannot be looked at: {fault.strerror}") from None
    if not is_file:
        raise ValueError(f"there is no file {found}")
    return found


def network(value: str) -> str:
    """A network or an address of one machine.

    raises  ValueError
    """
    try:
        return str(ipaddress.ip_network(value, strict=False))
    except ValueError:
        raise ValueError("a network such as 10.0.0.0/8, or an address, is wanted here") from None


def host(value: str) -> str:
    """A host name or an address, without scheme and port.

    raises  ValueError
    """
    text = value.strip().removeprefix("[").removesuffix("]")
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        if _HOST_NAME.fullmatch(text):
            return text.lower()
    raise ValueError("a host name or an address is wanted here, without http:// and without a port")


def web_address(value: str) -> str:
    """Where a service is reached: scheme, host, perhaps a port, and for an issuer a path.

    raises  ValueError
    """
    parts = _split(value)
    if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname or parts.query:
        raise ValueError("an address such as https://peakline.example.com is wanted here")
    if parts.fragment or "@" in parts.netloc or re.search(r"[\s\\\x00-\x1f]", value):
        raise ValueError("an address such as https://peakline.example.com is wanted here")
    return value


def origin(value: str) -> str:
    """A web address without a path.

    raises  ValueError
    """
    address = web_address(value).rstrip("/")
    if urlsplit(address).path:
        raise ValueError("the address of the server itself is wanted here, without a path")
    return address


def _split(value: str) -> SplitResult | None:
    try:
        parts = urlsplit(value)
        _ = parts.port  # only asking tells whether it is one
    except ValueError:
        return None
    return parts


class CommaText(str):
    """Text that came from a place without lists."""

    __slots__ = ()


def listed(value: Any) -> Any:
    """A list; text is taken apart at its commas, as environment variables have it."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, CommaText) else value


class DatabaseUrl(SecretStr):
    """Where a database is, perhaps with a user and a password; shown without them."""

    @property
    def holds_secret(self) -> bool:
        """Whether something stands in it that must not be seen: a password, or what could be one."""
        parts = _split(self.get_secret_value())
        return parts is None or parts.password is not None or "password" in parts.query or self._is_odd(parts)

    def shown(self) -> str:
        """Without user, password and options; `set` where they cannot be told apart from the rest."""
        parts = _split(self.get_secret_value())
        if parts is None or self._is_odd(parts):
            return "set"
        place = parts.netloc.rpartition("@")[2]
        return f"{parts.scheme}://{place}{parts.path}"

    def _is_odd(self, parts: SplitResult) -> bool:
        """A password with / ? # or @ in it is cut in the wrong place."""
        return bool(parts.fragment) or "@" in parts.path + parts.query or parts.netloc.count("@") > 1


def _text(pattern: str, example: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": f"^{pattern}$", "examples": [example]})


Duration = Annotated[timedelta, BeforeValidator(duration), Word("duration"), _text(_DURATION, "30s")]
Size = Annotated[int, BeforeValidator(size), Word("size"), _text(_SIZE, "64MiB")]
Share = Annotated[
    float,
    BeforeValidator(share),
    Word("share"),
    WithJsonSchema({"anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, {"type": "string", "pattern": _SHARE}]}),
]
FolderPath = Annotated[Path, BeforeValidator(path), Word("folder"), WithJsonSchema({"type": "string"})]
FilePath = Annotated[
    Path, AfterValidator(existing), BeforeValidator(path), Word("file"), WithJsonSchema({"type": "string"})
]
Host = Annotated[str, AfterValidator(host), Word("host name or address")]
Network = Annotated[str, AfterValidator(network)]
Origin = Annotated[str, AfterValidator(origin), Word("web address")]
WebAddress = Annotated[str, AfterValidator(web_address), Word("web address")]
Networks = Annotated[tuple[Network, ...], BeforeValidator(listed), Word("list of networks")]
Hosts = Annotated[tuple[Host, ...], BeforeValidator(listed), Word("list of host names")]
Words = Annotated[tuple[str, ...], BeforeValidator(listed), Word("list of words")]
