"""Everything that the doctor looks at, in its order, each with a limit on its time."""

import threading
from collections.abc import Callable, Iterator, Sequence

from peakline_server import (
    doctor_access,
    doctor_clock,
    doctor_configuration,
    doctor_disk,
    doctor_emitters,
    doctor_environment,
    doctor_folder,
    doctor_ports,
    doctor_server,
    doctor_store,
    doctor_tls,
)
from peakline_server.doctor_finding import Check, Finding, Place, warning

LIMIT_S = 15.0
"""A check asks several questions of a server at most, each of them for three seconds."""
CONFIGURATION = Check(
    "Configuration",
    doctor_configuration.CONFIGURATION,
    "The file, the variables and the options are read, and every mistake is told, unknown variables included.",
    lambda _: (),
)
"""Looked at before anything else: it says where to look."""

CHECKS: tuple[Check, ...] = (
    Check(
        "Configuration",
        doctor_configuration.RULES,
        "The alert rule file is there and its rules can be used.",
        doctor_configuration.rules,
    ),
    Check(
        "This machine",
        doctor_ports.NAME,
        "Each port is free, or a Peakline server has it; else who does.",
        doctor_ports.ports,
    ),
    Check(
        "This machine",
        doctor_folder.FOLDER,
        "The data folder is there, belongs to this user, can be written, and is closed to others.",
        doctor_folder.folder,
    ),
    Check(
        "This machine",
        doctor_folder.SECRETS,
        "`content.salt` and `control.sqlite` can be read by their owner only.",
        doctor_folder.secrets,
    ),
    Check(
        "This machine",
        doctor_disk.ROOM,
        "Free bytes (10 GiB is little, 1 GiB too little), room for more files, not mounted read-only.",
        doctor_disk.room,
    ),
    Check(
        "This machine",
        doctor_disk.KIND,
        "The file system stays: not in memory, no container layer, not on another machine.",
        doctor_disk.kind,
    ),
    Check(
        "This machine",
        doctor_clock.OWN,
        "The year is sane, the clock runs evenly for 0.2 s, and the server's agrees within 5 s.",
        doctor_clock.own,
    ),
    Check(
        "This machine",
        doctor_environment.FILES,
        "A server started from here may have 4096 files and connections open.",
        doctor_environment.files,
    ),
    Check(
        "This machine",
        doctor_environment.OTEL,
        "No `OTEL_EXPORTER_OTLP_…` variable points at gRPC, which is not received yet.",
        doctor_environment.otel,
    ),
    Check(
        "This machine",
        doctor_environment.PROXY,
        "No proxy variable catches requests to this machine.",
        doctor_environment.proxy,
    ),
    Check(
        "Server",
        doctor_server.NAME,
        "A Peakline server answers, with a certificate that can be verified, and it is the one of the data folder.",
        doctor_server.server,
    ),
    Check("Server", doctor_store.STORE, "The store answers, and rollups keep up.", doctor_store.store),
    Check("Server", doctor_store.WORKS, "Rollups and alert evaluation do not fail.", doctor_store.works),
    Check(
        "Server",
        doctor_store.DATABASE,
        "Without a running server: this version can use the control database. A copy is opened.",
        doctor_store.database,
    ),
    Check(
        "Access",
        doctor_access.ACCESS,
        "Access is on where others than this machine reach the server.",
        doctor_access.access,
    ),
    Check("Access", doctor_access.ADMINS, "Somebody may administer.", doctor_access.admins),
    Check(
        "Access",
        doctor_access.TOKENS,
        "A token may send; none is expired, expires within 7 days, or was not used for 90 days.",
        doctor_access.tokens,
    ),
    Check(
        "Access",
        doctor_tls.TLS,
        "The certificate fits its key, lasts for 30 days, and names the server's host.",
        doctor_tls.certificate,
    ),
    Check(
        "Emitters",
        doctor_emitters.POOLS,
        "Requests arrived in the last 24 hours, and when each pool was last heard of.",
        doctor_emitters.pools,
    ),
    Check(
        "Emitters",
        doctor_emitters.HEARD,
        "Which kinds of emitters were heard of in the last 15 minutes.",
        doctor_emitters.heard,
    ),
    Check(
        "Emitters",
        doctor_emitters.REJECTED,
        "What the record ledger says was refused in the last 24 hours, with what to do for each reason.",
        doctor_emitters.rejected,
    ),
    Check(
        "Emitters",
        doctor_clock.EMITTERS,
        "The newest request starts neither in the future nor hours ago while spans arrive.",
        doctor_clock.emitters,
    ),
)


def examined(place: Place, checks: Sequence[Check] = CHECKS, limit_s: float = LIMIT_S) -> Iterator[tuple[str, Finding]]:
    """(group, finding) of each check in their order."""
    for check in checks:
        for finding in bounded(check.name, lambda check=check: check.examine(place), limit_s):  # type: ignore[misc]  # the default binds the loop's value
            yield check.group, finding


def bounded(name: str, examine: Callable[[], Sequence[Finding]], limit_s: float) -> Sequence[Finding]:
    """What a check finds, or that it took too long or failed itself; it never ends the doctor.

    A disk or a network that hangs keeps its thread; the process ends without waiting for it.
    """
    found: list[Finding] = []

    def run() -> None:
        try:
            found.extend(examine())
        except Exception as fault:  # noqa: BLE001 - one check that fails must not take the others along
            found.append(warning(name, f"The check itself failed: {type(fault).__name__}: {fault}"))

    thread = threading.Thread(target=run, name=f"doctor {name}", daemon=True)
    thread.start()
    thread.join(limit_s)
    if thread.is_alive():
        return [warning(name, f"No answer within {limit_s:g} s.", "Something below hangs: a disk, a mount, a network.")]
    return found
