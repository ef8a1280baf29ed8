"""The certificate of the listeners: does it fit its key, will it last, does it name this server?"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from cryptography import x509

from peakline_server.doctor_finding import UNREAD, Finding, Place, ok, problem, skipped, warning
from peakline_server.settings import is_loopback
from peakline_server.tls import TlsError, open_tls
from vocabulary.pools import SECOND_NS

TLS = "certificate"
_SOON = timedelta(days=30)
_EVERYWHERE = {"0.0.0.0", "::"}  # noqa: S104 - compared with, not listened on


def certificate(place: Place) -> list[Finding]:
    """Whether the server can use its certificate, for how long, and for which names."""
    if not place.configuration_is_read:
        return [skipped(TLS, UNREAD)]
    if place.tls is None:
        return [_plain(place)]
    now = datetime.fromtimestamp(place.clock_ns() / SECOND_NS, UTC)
    try:
        opened = open_tls(place.tls, now)
    except TlsError as fault:
        return [problem(TLS, f"{fault}.")]
    found = x509.load_pem_x509_certificates(place.tls.certificate_file.read_bytes())[0]
    findings = [*_ending(found, now), *_naming(found, place), *_open_key(place.tls.key_file, opened.warnings)]
    return findings or [ok(TLS, f"It holds until {found.not_valid_after_utc:%Y-%m-%d}, for {', '.join(names(found))}.")]


def _plain(place: Place) -> Finding:
    if is_loopback(place.host) or place.public_url.startswith("https://"):
        return skipped(TLS, "The listeners speak plain http: only this machine, or a proxy in front, reaches them.")
    said = f"The server listens on {place.host} without TLS: tokens and passwords can be read on their way."
    return warning(TLS, said, "Set server.tls.certificate_file and key_file, or put a proxy with TLS in front.")


def _ending(found: x509.Certificate, now: datetime) -> Iterator[Finding]:
    if found.not_valid_after_utc - now < _SOON:
        yield warning(
            TLS, f"It expires on {found.not_valid_after_utc:%Y-%m-%d}.", "Renew it, and start the server again."
        )


def _naming(found: x509.Certificate, place: Place) -> Iterator[Finding]:
    host = urlsplit(place.public_url).hostname or ("" if place.host in _EVERYWHERE else place.host)
    if host and not any(_fits(name, host) for name in names(found)):
        told = ", ".join(names(found)) or "nobody"
        yield problem(TLS, f"It is for {told}, not for {host}: senders will refuse it.", f"Have one made for {host}.")


def _open_key(key_file: Path, warnings: tuple[str, ...]) -> Iterator[Finding]:
    """Only what is said of the key: the end of the certificate is judged here."""
    yield from (warning(TLS, f"{said}.") for said in warnings if str(key_file) in said)


def names(found: x509.Certificate) -> list[str]:
    """The names and addresses that a certificate is for."""
    try:
        alternative = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    addresses = map(str, alternative.get_values_for_type(x509.IPAddress))
    return [*alternative.get_values_for_type(x509.DNSName), *addresses]


def _fits(name: str, host: str) -> bool:
    """Whether a name of a certificate covers a host: a star stands for one label, addresses are compared as such."""
    try:
        return ip_address(name) == ip_address(host)
    except ValueError:
        pass
    name, host = name.lower(), host.lower()
    return name == host or (name.startswith("*.") and host.partition(".")[2] == name[2:])
