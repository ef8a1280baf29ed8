"""TLS over a real server, and every mistake with its files as a sentence."""

import base64
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
import trustme
import uvicorn
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)
from starlette.responses import PlainTextResponse

from peakline_server.tls import Tls, TlsError, TlsSettings, open_tls

NOW = datetime.now(UTC)  # certificates of the tests are made now
AUTHORITY = trustme.CA()
CLIENTS = trustme.CA()


def _write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    path.chmod(0o600)
    return path


@pytest.fixture
def files(tmp_path: Path) -> TlsSettings:
    return _files(tmp_path, AUTHORITY.issue_cert("127.0.0.1"))


def _files(folder: Path, issued: trustme.LeafCert) -> TlsSettings:
    chain = b"".join(blob.bytes() for blob in issued.cert_chain_pems)
    certificate = _write(folder / "server.pem", chain)
    return TlsSettings(certificate, _write(folder / "server.key", issued.private_key_pem.bytes()))


@contextmanager
def _served(tls: Tls) -> Iterator[str]:
    options = tls.uvicorn_options()
    config = uvicorn.Config(
        PlainTextResponse("hello"), host="127.0.0.1", port=0, log_level="critical", lifespan="off", **options
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        deadline = time.monotonic() + 20
        while not server.started:
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.01)
        yield f"https://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)


def _client_context(certificate: trustme.LeafCert | None = None) -> ssl.SSLContext:
    context = ssl.create_default_context()
    AUTHORITY.configure_trust(context)
    if certificate is not None:
        certificate.configure_cert(context)
    return context


def _get(url: str, certificate: trustme.LeafCert | None = None) -> str:
    with httpx.Client(verify=_client_context(certificate)) as client:
        return client.get(url).text


def test_a_server_speaks_tls(files: TlsSettings) -> None:
    tls = open_tls(files, NOW)
    assert tls.warnings == ()
    with _served(tls) as url:
        assert _get(url) == "hello"


def test_tls_1_2_is_the_oldest_that_is_spoken(files: TlsSettings) -> None:
    tls = open_tls(files, NOW)
    assert tls.context.minimum_version is ssl.TLSVersion.TLSv1_2
    old = _client_context()
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    with _served(tls) as url, httpx.Client(verify=old) as client:
        assert client.get(url).text == "hello"


def test_plain_http_gets_no_answer_and_the_server_goes_on(files: TlsSettings) -> None:
    with _served(open_tls(files, NOW)) as url:
        with pytest.raises(httpx.TransportError):
            httpx.get(url.replace("https", "http"))
        assert _get(url) == "hello"


@pytest.mark.parametrize("is_required", [True, False])
def test_a_client_certificate_is_asked_for_and_can_be_required(
    files: TlsSettings, tmp_path: Path, *, is_required: bool
) -> None:
    authority = _write(tmp_path / "clients.pem", CLIENTS.cert_pem.bytes())
    settings = replace(files, client_ca_file=authority, require_client_certificate=is_required)
    with _served(open_tls(settings, NOW)) as url:
        assert _get(url, CLIENTS.issue_cert("gateway.example")) == "hello"
        with pytest.raises(httpx.TransportError):
            _get(url, AUTHORITY.issue_cert("stranger.example"))
        if is_required:
            with pytest.raises(httpx.TransportError):
                _get(url)
        else:
            assert _get(url) == "hello"


def test_an_encrypted_key_opens_with_its_password(files: TlsSettings) -> None:
    key = load_pem_private_key(files.key_file.read_bytes(), None)
    encryption = BestAvailableEncryption(b"hush")
    _write(files.key_file, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption))
    with _served(open_tls(replace(files, key_password="hush"), NOW)) as url:
        assert _get(url) == "hello"
    for password, sentence in (("", "is encrypted; give"), ("wrong", "does not open it")):
        with pytest.raises(TlsError, match=sentence):
            open_tls(replace(files, key_password=password), NOW)
    assert "hush" not in repr(replace(files, key_password="hush"))


Breaking = Callable[[TlsSettings], TlsSettings | None]


def _without_certificate(files: TlsSettings) -> None:
    files.certificate_file.unlink()


def _without_key(files: TlsSettings) -> None:
    files.key_file.unlink()


def _with_text(files: TlsSettings) -> None:
    files.certificate_file.write_text("hello")


def _with_text_for_a_key(files: TlsSettings) -> None:
    files.key_file.write_text("hello")


def _with_a_key_of_an_unknown_kind(files: TlsSettings) -> None:
    algorithm = bytes.fromhex("300506032a0304")
    content = bytes.fromhex("020100") + algorithm + bytes.fromhex("0403010203")
    body = base64.encodebytes(bytes([0x30, len(content)]) + content)
    files.key_file.write_bytes(b"-----BEGIN PRIVATE KEY-----\n" + body + b"-----END PRIVATE KEY-----\n")


def _with_another_key(files: TlsSettings) -> None:
    files.key_file.write_bytes(AUTHORITY.issue_cert("127.0.0.1").private_key_pem.bytes())


def _with_the_authority_first(files: TlsSettings) -> None:
    files.certificate_file.write_bytes(AUTHORITY.cert_pem.bytes() + files.certificate_file.read_bytes())


@pytest.mark.parametrize(
    ("breaking", "sentence"),
    [
        (_without_certificate, r"tls\.certificate_file \S+server\.pem does not exist"),
        (_without_key, r"tls\.key_file \S+server\.key does not exist"),
        (lambda files: replace(files, key_file=files.key_file.parent), r"tls\.key_file \S+ cannot be read"),
        (_with_text, r"tls\.certificate_file \S+ is no PEM certificate"),
        (_with_text_for_a_key, r"tls\.key_file \S+ is no PEM private key"),
        (_with_a_key_of_an_unknown_kind, r"tls\.key_file \S+ is of a kind, .* not known here; use RSA or ECDSA"),
        (_with_another_key, r"does not belong to the first certificate"),
        (_with_the_authority_first, r"the server's own certificate comes first"),
        (lambda files: replace(files, key_password="x"), r"is not encrypted; take tls\.key_password away"),
        (lambda files: replace(files, require_client_certificate=True), r"needs tls\.client_ca_file"),
        (lambda files: replace(files, client_ca_file=Path("/nosuch.pem")), r"tls\.client_ca_file \S+ does not exist"),
        (lambda files: replace(files, client_ca_file=files.key_file), r"tls\.client_ca_file \S+ is no PEM certificate"),
    ],
)
def test_what_cannot_work_is_said_at_start(files: TlsSettings, breaking: Breaking, sentence: str) -> None:
    broken = breaking(files) or files
    with pytest.raises(TlsError, match=sentence):
        open_tls(broken, NOW)


def test_a_certificate_counts_in_its_time_only(tmp_path: Path) -> None:
    issued = AUTHORITY.issue_cert("127.0.0.1", not_before=NOW - timedelta(days=9), not_after=NOW + timedelta(days=3))
    files = _files(tmp_path, issued)
    assert "renew it soon" in open_tls(files, NOW).warnings[0]
    with pytest.raises(TlsError, match="expired on"):
        open_tls(files, NOW + timedelta(days=3))
    with pytest.raises(TlsError, match="is the clock right"):
        open_tls(files, NOW - timedelta(days=10))


@pytest.mark.parametrize(("mode", "is_warned"), [(0o600, False), (0o640, False), (0o644, True), (0o660, True)])
def test_a_key_that_others_can_read_is_a_warning(files: TlsSettings, mode: int, *, is_warned: bool) -> None:
    files.key_file.chmod(mode)
    assert bool(open_tls(files, NOW).warnings) is is_warned
