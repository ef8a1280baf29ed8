"""What commands say of themselves to a server: the token, and which authority its certificate comes from."""

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
_TOKEN = re.compile(r"[\x21-\x7e]{1,500}")
_TOKEN_FILE_BYTES = 4096
UNAUTHENTICATED, FORBIDDEN = 401, 403


class CredentialsError(PeaklineError):
    """A token or a certificate authority that cannot be used."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """How a command shows who it is for, and how it knows the server.

    token    API token, '' for none; it is in no message
    ca_file  certificates of the authority that signed the server's, None for the usual ones
    """

    token: str = field(default="", repr=False)
    ca_file: Path | None = None

    def headers(self) -> dict[str, str]:
        """Headers of every request."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def verify(self) -> ssl.SSLContext | bool:
        """What an HTTP client takes as `verify`.

        raises  CredentialsError for a file without certificates
        """
        if self.ca_file is None:
            return True
        try:
            return ssl.create_default_context(cafile=self.ca_file)
        except (OSError, ssl.SSLError) as problem:
            message = f"{self.ca_file} cannot be used as --ca-file: it holds no certificates in PEM"
            raise CredentialsError(message) from problem

    def refused(self, url: str, status: int, told: str, role: Role) -> str | None:
        """One sentence for a 401 or 403, with what to do; None for another status.

        told  what the server said
        role  that does what was asked
        """
        make = f"make one with `{program()} tokens create NAME --role {role}`"
        if status == UNAUTHENTICATED and not self.token:
            return f"the server at {url} wants a token: set {TOKEN_VARIABLE} or --token-file; {make}"
        if status == UNAUTHENTICATED:
            return f"the server at {url} does not take this token (wrong, expired or revoked); {make}"
        if status == FORBIDDEN:
            hint = f"; if the token is for something else, {make}" if self.token else ""
            return f"the server at {url} refuses this: {told.strip().rstrip('.') or 'no reason given'}{hint}"
        return None


NO_CREDENTIALS = Credentials()


def credentials_from(
    token_file: Path | None, ca_file: Path | None, environment: Mapping[str, str] = os.environ
) -> Credentials:
    """The token of the file or of PEAKLINE_TOKEN, the authority of the option or of SSL_CERT_FILE where that exists.

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
    return Credentials(token, ca_file or (usual if usual.is_file() else None))


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
    def called(*arguments: Any, token_file: Path | None, ca_file: Path | None, **named: Any) -> Any:
        try:
            credentials = credentials_from(token_file, ca_file)
            credentials.verify()
        except CredentialsError as problem:
            click.echo(f"peakline: {problem}", err=True)
            raise SystemExit(2) from None
        return command(*arguments, credentials=credentials, **named)

    file = click.Path(dir_okay=False, path_type=Path)
    authority = click.option(
        "--ca-file",
        type=file,
        help=f"Certificates, PEM, of the authority of the server; also {CA_VARIABLE}.",
    )
    return click.option(
        "--token-file", type=file, help=f"File that holds the API token; by default the variable {TOKEN_VARIABLE}."
    )(authority(called))
