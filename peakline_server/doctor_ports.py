"""Are the ports free, or does a Peakline server of ours have them, or who else?"""

import errno
import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from peakline_server.doctor_finding import Finding, Place, ok, problem, warning
from peakline_server.doctor_folder import owner
from peakline_server.doctor_server import Asked, is_of_another_folder

NAME, MAIN, OTLP = "ports", "main", "OTLP/HTTP"
_LISTENING = "0A"
_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared with, not listened on


def ports(place: Place) -> list[Finding]:
    """Each port that the server listens on."""
    return [_port(place, what, port) for what, port in place.ports.items()]


def _port(place: Place, what: str, port: int) -> Finding:
    fault = why_not(place.host, port)
    where = f"{place.host}:{port}"
    if fault is None:
        return ok(NAME, f"{where} ({what}) is free.")
    if fault == errno.EADDRINUSE:
        return _taken(place, what, port)
    if fault in {errno.EACCES, errno.EPERM}:
        return problem(NAME, f"{where} ({what}) is for root only.", "Choose a port above 1023.")
    if fault == errno.EADDRNOTAVAIL:
        return problem(NAME, f"This machine has no address {place.host}.", "Set server.host to one of its addresses.")
    return problem(NAME, f"{where} ({what}) cannot be used: {os.strerror(fault)}.", "Choose another with server.host.")


def _taken(place: Place, what: str, port: int) -> Finding:
    who = holder(port)
    free_it = f"Stop it, or choose another port with server.{'port' if what == MAIN else 'otlp_http_port'}."
    if _is_ours(place, port, who):
        if is_of_another_folder(place):
            said = f"{place.host}:{port} ({what}) is taken by a Peakline server of another folder than {place.data}."
            return warning(NAME, said, free_it)
        return ok(NAME, f"{place.host}:{port} ({what}) is served by a running Peakline server.")
    named = f"{who.name} (pid {who.pid})" if who else "another process"
    return problem(NAME, f"{place.host}:{port} ({what}) is taken by {named}.", free_it)


def _is_ours(place: Place, port: int, who: "Holder | None") -> bool:
    """It says so, or it is the process that has the data folder: a certificate or a list of hosts may forbid asking."""
    if who is not None and place.data is not None and who.pid == owner(place.data):
        return True
    host = _ANY.get(place.host, place.host)
    named = f"[{host}]" if ":" in host else host
    asked = Asked(f"{place.scheme}://{named}:{port}", place.server.credentials)
    return asked.is_peakline() or asked.is_refusing()


def why_not(host: str, port: int) -> int | None:
    """The error number that binding would give, None when the port is free. Nothing is listened to."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM) as trying:
        trying.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trying.bind((host, port))
        except OSError as fault:
            return fault.errno if fault.errno and fault.errno > 0 else errno.EADDRNOTAVAIL
    return None


class Holder(NamedTuple):
    """A process that listens."""

    name: str
    pid: int


def holder(port: int, proc: Path = Path("/proc")) -> Holder | None:
    """Who listens on a port, None when that cannot be told, as for processes of other users."""
    sockets = set(_listening(port, proc))
    for process in proc.glob("[0-9]*"):
        with suppress(OSError):
            for descriptor in (process / "fd").iterdir():
                if descriptor.readlink().name in sockets:
                    return Holder((process / "comm").read_text().strip(), int(process.name))
    return None


def _listening(port: int, proc: Path) -> Iterator[str]:
    """Sockets that listen on the port, as the links of a process call them."""
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in (proc / "net" / table).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == _LISTENING and int(fields[1].rpartition(":")[2], 16) == port:
                    yield f"socket:[{fields[9]}]"
