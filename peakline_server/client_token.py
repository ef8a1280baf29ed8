"""What commands say of themselves to a server: the token, a certificate, and which authority the server's is from."""

import functools
import os
import re
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from peakline_server.program import program
from vocabulary.access import Role
from vocabulary.errors import PeaklineError

TOKEN_VARIABLE, CA_VARIABLE = "PEAKLINE_TOKEN", "SSL_CERT_FILE"
CERTIFICATE_VARIABLE = "PEAKLINE_CLIENT_CERTIFICATE"
_TOKEN = re.compile(r"[\x21-\x7e]{1,500}")
_TOKEN_FILE_BYTES = 4096
UNAUTHENTICATED, FORBIDDEN = 401, 403
BAD_TOKEN = f"The token in {TOKEN_VARIABLE} (or --token-file) is not valid, expired or revoked"
_HANDSHAKE_ENDS = ("_ALERT_", "UNEXPECTED_EOF_WHILE_READING", "disconnected without sending a response")
"""With TLS 1.3 a server looks at a certificate when the client is done: it hangs up before it has answered anything."""


class CredentialsError(PeaklineError):
    """A token, a certificate or a certificate authority that cannot be used."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """How a command shows who it is for, and how it knows the server.

    token             API token, '' for none; it is in no message
    ca_file           certificates of the authority that signed the server's, None for the usual ones
    certificate_file  certificate of this client with its chain and key, PEM, None for none
    """

    token: str = field(default="", repr=False)
    ca_file: Path | None = None
    certificate_file: Path | None = None

    def headers(self) -> dict[str, str]:
        """Headers of every request."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def verify(self) -> ssl.SSLContext | bool:
        """What an HTTP client takes as `verify`.

        raises  CredentialsError for a file without certificates, or without the key of one
        """
        if self.certificate_file is None:
            return True if self.ca_file is None else self._authorities()
        context = self._authorities()
        try:
            # A key that wants a password must not make OpenSSL ask the terminal for it.
            context.load_cert_chain(self.certificate_file, password=lambda: "")
        except (OSError, ValueError) as problem:
            message = (
                f"{self.certificate_file} cannot be used as --client-certificate: it must hold a certificate and its "
                "key in PEM, the key without a password"
            )
            raise CredentialsError(message) from problem
        return context

    def _authorities(self) -> ssl.SSLContext:
        if self.ca_file is None:
            import httpx

            return httpx.create_ssl_context()
        try:
            return ssl.create_default_context(cafile=self.ca_file)
        except OSError as problem:
            message = f"{self.ca_file} cannot be used as --ca-file: it holds no certificates in PEM"
            raise CredentialsError(message) from problem

    def not_met(self, url: str, fault: Exception) -> str | None:
        """One sentence when TLS keeps a request from being answered; None for another fault.

        fault  of the first request to that server: later a lost connection is nothing but that
        """
        words = str(fault)
        if "CERTIFICATE_VERIFY_FAILED" in words:
            return f"the certificate of the server at {url} cannot be verified; name its authority with --ca-file"
        if not url.startswith("https:") or not any(sign in words for sign in _HANDSHAKE_ENDS):
            return None
        ended = f"the server at {url} ended the TLS handshake"
        if self.certificate_file is None:
            return f"{ended}; it may want a client certificate: --client-certificate FILE"
        return f"{ended}; it may not accept the client certificate in {self.certificate_file}"

    def refused(self, url: str, status: int, told: str, role: Role) -> str | None:
        """One sentence for a 401 or 403, with what to do; None for another status.

        told  what the server said
        role  that does what was asked
        """
        make = f"make one with `{program()} tokens create NAME --role {role}`"
        if status == UNAUTHENTICATED and not self.token:
            return f"the server at {url} wants a token: set {TOKEN_VARIABLE} or --token-file; {make}"
        if status == UNAUTHENTICATED:
            return f"{BAD_TOKEN[:1].lower()}{BAD_TOKEN[1:]}, says the server at {url}; {make}"
        if status == FORBIDDEN:
            hint = f"; if the token is for something else, {make}" if self.token else ""
            return f"the server at {url} refuses this: {told.strip().rstrip('.') or 'no reason given'}{hint}"
        return None


NO_CREDENTIALS = Credentials()


def credentials_from(
    token_file: Path | None,
    ca_file: Path | None,
    environment: Mapping[str, str] = os.environ,
    certificate_file: Path | None = None,
) -> Credentials:
    """The token of the file or of PEAKLINE_TOKEN, the authority of the option or of SSL_CERT_FILE where that exists.

    The client certificate is that of the option or of PEAKLINE_CLIENT_CERTIFICATE.

    raises  CredentialsError when a file cannot be read or holds no token
    """
    text = environment.get(TOKEN_VARIABLE, "") if token_file is None else _read(token_file)
    token, source = text.strip(), TOKEN_VARIABLE if token_file is None else str(token_file)
    if token and not _TOKEN.fullmatch(token):
        message = f"{source} holds no token: one is a single word such as pkl_…"
        raise CredentialsError(message)
    if token_file is not None and not token:
        message = f"{source} is empty; it must hold one token"
        raise CredentialsError(message)
    usual = Path(environment.get(CA_VARIABLE) or os.devnull)
    own = environment.get(CERTIFICATE_VARIABLE)
    return Credentials(
        token, ca_file or (usual if usual.is_file() else None), certificate_file or (Path(own) if own else None)
    )


def _read(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return opened.read(_TOKEN_FILE_BYTES).decode("utf-8", "replace")
    except OSError as problem:
        message = f"the token file {file} cannot be read: {problem.strerror}"
        raise CredentialsError(message) from problem


def is_in_the_clear(url: str) -> bool:
    """Whether what is sent there can be read on the way: plain http to a host that is not this machine."""
    address = urlsplit(url)
    host = (address.hostname or "").lower()
    if address.scheme != "http" or host == "localhost" or host.endswith(".localhost"):
        return False
    with suppress(ValueError):
        return not ip_address(host).is_loopback
    return True


def warn_in_the_clear(credentials: Credentials, *urls: str) -> None:
    """Say on stderr, once per host, that a token can be read on its way."""
    exposed = {urlsplit(url).netloc: url for url in urls if credentials.token and is_in_the_clear(url)}
    for url in exposed.values():
        click.echo(f"peakline: warning: the token goes to {url} unencrypted; use https", err=True)


def client_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a click command the options of a client; it is called with `credentials`.

    Files that cannot be used end the process with one sentence and exit code 2.
    """

    @functools.wraps(command)
    def called(
        *arguments: Any, token_file: Path | None, ca_file: Path | None, client_certificate: Path | None, **named: Any
    ) -> Any:
        try:
            credentials = credentials_from(token_file, ca_file, certificate_file=client_certificate)
            credentials.verify()
        except CredentialsError as problem:
            click.echo(f"peakline: {problem}", err=True)
            raise SystemExit(2) from None
        return command(*arguments, credentials=credentials, **named)

    file = click.Path(dir_okay=False, path_type=Path)
    options = (
        click.option(
            "--client-certificate",
            type=file,
            help=f"Certificate and key, PEM, to show to the server; also {CERTIFICATE_VARIABLE}.",
        ),
        click.option(
            "--ca-file", type=file, help=f"Certificates, PEM, of the authority of the server; also {CA_VARIABLE}."
        ),
        click.option(
            "--token-file", type=file, help=f"File that holds the API token; by default the variable {TOKEN_VARIABLE}."
        ),
    )
    return functools.reduce(lambda wrapped, option: option(wrapped), options, called)
