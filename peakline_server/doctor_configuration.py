"""What the server would be told, and whether it can be read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import SecretStr

from peakline_server.client_token import Credentials, is_in_the_clear
from peakline_server.configuration.loading import load
from peakline_server.configuration.mistakes import ConfigurationError
from peakline_server.configuration.parts import Configuration
from peakline_server.configuration.serving import tls_settings
from peakline_server.doctor_finding import Finding, Place, State, ok, problem, skipped
from peakline_server.doctor_ports import MAIN, OTLP
from peakline_server.doctor_server import Asked
from vocabulary.errors import PeaklineError

CONFIGURATION, RULES = "configuration", "alert rules"
_ANY = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 - compared with, not listened on


@dataclass(frozen=True, slots=True)
class Told:
    """What the doctor was told on the command line."""

    config: Path | None
    data: Path | None
    server: str
    credentials: Credentials


def place_of(told: Told, environment: Mapping[str, str], clock_ns: Callable[[], int]) -> tuple[Place, list[Finding]]:
    """What to look at, and what is to be said of the configuration itself; a bad one is as good as none."""
    whole, findings = _read(told, environment)
    is_read = all(finding.state is not State.PROBLEM for finding in findings)
    ports = {MAIN: whole.server.port, OTLP: whole.server.otlp_http_port}
    place = Place(
        data=told.data or whole.server.data,
        host=whole.server.host,
        ports={what: port for what, port in ports.items() if port},
        control=_secret(whole.store.control_url),
        rules=whole.alerts.rules_file,
        tls=tls_settings(whole.server.tls),
        access_enabled=whole.access.enabled,
        public_url=whole.server.public_url or "",
        server=Asked(told.server, told.credentials) if told.server else _own(whole, told.credentials),
        is_named=bool(told.server),
        environment=environment,
        clock_ns=clock_ns,
        configuration_is_read=is_read,
    )
    return place, findings


def _read(told: Told, environment: Mapping[str, str]) -> tuple[Configuration, list[Finding]]:
    options = {"server.data": ("--data", None if told.data is None else str(told.data.absolute()))}
    try:
        loaded = load(told.config, environment, options)
    except ConfigurationError as fault:
        found = [problem(CONFIGURATION, str(mistake)) for mistake in fault.mistakes]
        rest = skipped(
            CONFIGURATION, "Until this is mended, everything else is looked at as if nothing was configured."
        )
        return Configuration(), [*found, rest]
    named = f"{loaded.file} can be used." if loaded.file else "There is no file; defaults, variables and options hold."
    return loaded.configuration, [ok(CONFIGURATION, named)]


def _own(whole: Configuration, credentials: Credentials) -> Asked:
    """The server of this configuration: as others reach it, or at the address that it listens on.

    No token goes unencrypted to another host while the listening address answers as well.
    """
    own, public = _address(whole), whole.server.public_url or ""
    host, names = urlsplit(own).hostname or "", whole.server.hosts
    name = "" if not names or host in names else urlsplit(public).hostname or names[0]
    here = Asked(own, credentials, host=f"[{name}]" if ":" in name else name)
    if not public or public == own:
        return here
    there = Asked(public, credentials)
    first, second = (here, there) if is_in_the_clear(public) and credentials.token else (there, here)
    first.other = second
    return first


def _address(whole: Configuration) -> str:
    scheme = "http" if whole.server.tls.certificate_file is None else "https"
    host = whole.server.host
    named = _ANY.get(host, f"[{host}]" if ":" in host else host)
    return f"{scheme}://{named}:{whole.server.port or whole.server.otlp_http_port}"


def _secret(value: SecretStr | None) -> str:
    return "" if value is None else value.get_secret_value()


def rules(place: Place) -> list[Finding]:
    """Whether the alert rules can be read."""
    if place.rules is None:
        return [skipped(RULES, "No rule file is configured, so nothing alerts.", "Set alerts.rules_file.")]
    from alerts.rules import load_rules

    try:
        found = load_rules(place.rules)
    except PeaklineError as fault:
        return [problem(RULES, str(fault))]
    return [ok(RULES, f"{place.rules}: {len(found)} {'rule' if len(found) == 1 else 'rules'}.")]
