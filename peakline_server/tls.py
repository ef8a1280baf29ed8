"""TLS of the listeners: files are looked at when the server starts, and what is wrong is said in a sentence."""

import ssl
import stat
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from vocabulary.errors import PeaklineError

SOON = timedelta(days=14)


class TlsError(PeaklineError):
    """The listeners cannot speak TLS with these files."""


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """Certificate and key of all listeners, PEM.

    certificate_file            with the chain below it, the server's own first
    key_password                of an encrypted key, '' for a plain one
    client_ca_file              authorities whose client certificates are accepted; None: nobody is asked for one
    require_client_certificate  whoever has none is refused at the handshake
    """

    certificate_file: Path
    key_file: Path
    key_password: str = field(default="", repr=False)
    client_ca_file: Path | None = None
    require_client_certificate: bool = False


@dataclass(frozen=True, slots=True)
class Tls:
    """What listeners need.

    warnings  sentences about what works, but should not stay as it is
    """

    context: ssl.SSLContext
    warnings: tuple[str, ...]

    def uvicorn_options(self) -> dict[str, Any]:
        """Keyword arguments of uvicorn.Config."""
        return {"ssl_context_factory": lambda _config, _default: self.context}


def open_tls(settings: TlsSettings, now: datetime) -> Tls:
    """Read and check the files; TLS 1.2 is the oldest version spoken.

    now     aware
    raises  TlsError
    """
    chain = _certificates(settings.certificate_file, "certificate_file")
    _check_key(settings, chain[0])
    _check_time(chain[0], settings.certificate_file, now)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(settings.certificate_file, settings.key_file, lambda: settings.key_password)
    except (ssl.SSLError, ValueError) as problem:
        raise TlsError(f"tls.certificate_file {settings.certificate_file} cannot be used: {problem}") from None
    _ask_clients(context, settings)
    return Tls(context, tuple(_warnings(settings, chain[0], now)))


def _ask_clients(context: ssl.SSLContext, settings: TlsSettings) -> None:
    if settings.client_ca_file is None:
        if settings.require_client_certificate:
            raise TlsError("tls.require_client_certificate needs tls.client_ca_file: whose certificates are accepted?")
        return
    _certificates(settings.client_ca_file, "client_ca_file")
    context.load_verify_locations(settings.client_ca_file)
    context.verify_mode = ssl.CERT_REQUIRED if settings.require_client_certificate else ssl.CERT_OPTIONAL


def _certificates(path: Path, name: str) -> list[x509.Certificate]:
    try:
        return x509.load_pem_x509_certificates(_read(path, name))
    except ValueError:
        raise TlsError(f"tls.{name} {path} is no PEM certificate; it begins with -----BEGIN CERTIFICATE-----") from None


def _check_key(settings: TlsSettings, certificate: x509.Certificate) -> None:
    path, text = settings.key_file, _read(settings.key_file, "key_file")
    try:
        key = load_pem_private_key(text, settings.key_password.encode() or None)
    except TypeError:
        is_missing = not settings.key_password
        say = "is encrypted; give tls.key_password" if is_missing else "is not encrypted; take tls.key_password away"
        raise TlsError(f"tls.key_file {path} {say}") from None
    except ValueError:
        raise TlsError(f"tls.key_file {path} is no PEM private key, or tls.key_password does not open it") from None
    except UnsupportedAlgorithm:
        raise TlsError(
            f"tls.key_file {path} is of a kind, or encrypted in a way, that is not known here; use RSA or ECDSA"
        ) from None
    if _public(key) != _certified(certificate, settings.certificate_file):
        raise TlsError(
            f"tls.key_file {path} does not belong to the first certificate of {settings.certificate_file}; "
            "the server's own certificate comes first, authorities after it"
        )


def _public(key: PrivateKeyTypes) -> bytes:
    return key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def _certified(certificate: x509.Certificate, path: Path) -> bytes:
    try:
        return certificate.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    except UnsupportedAlgorithm:
        raise TlsError(
            f"tls.certificate_file {path} is for a key of a kind that is not known here; use RSA or ECDSA"
        ) from None


def _check_time(certificate: x509.Certificate, path: Path, now: datetime) -> None:
    ends, begins = certificate.not_valid_after_utc, certificate.not_valid_before_utc
    if ends <= now:
        raise TlsError(f"tls.certificate_file {path} expired on {_day(ends)}; renew it")
    if begins > now:
        raise TlsError(f"tls.certificate_file {path} is valid from {_day(begins)} only; is the clock right?")


def _warnings(settings: TlsSettings, certificate: x509.Certificate, now: datetime) -> list[str]:
    found = []
    if settings.key_file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO) & ~stat.S_IRGRP:
        found.append(f"tls.key_file {settings.key_file} can be read or changed by others; chmod 600 it")
    ends = certificate.not_valid_after_utc
    if ends - now < SOON:
        found.append(f"tls.certificate_file {settings.certificate_file} expires on {_day(ends)}; renew it soon")
    return found


def _read(path: Path, name: str) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise TlsError(f"tls.{name} {path} does not exist") from None
    except OSError as problem:
        raise TlsError(f"tls.{name} {path} cannot be read ({problem.strerror})") from None


def _day(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d}"
