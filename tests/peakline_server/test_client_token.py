"""What commands say of themselves: the token from a variable or a file, never seen, never in the clear unnoticed."""

import ssl
from pathlib import Path
from typing import Any

import click
import pytest
import trustme
from click.testing import CliRunner
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from peakline_server.client_token import (
    Credentials,
    CredentialsError,
    client_options,
    credentials_from,
    is_in_the_clear,
    warn_in_the_clear,
)
from vocabulary.access import Role

TOKEN = "pkl_planted_secret"
HERE = "http://127.0.0.1:8600"


@click.command()
@client_options
@click.option("--name", default="x")
def command(credentials: Credentials, name: str) -> None:
    click.echo(f"{name} {credentials.headers()} {credentials.ca_file}")


def call(*arguments: str, **variables: str) -> Any:
    return CliRunner().invoke(command, arguments, env={"PEAKLINE_TOKEN": "", "SSL_CERT_FILE": "", **variables})


def test_the_token_comes_from_the_variable() -> None:
    assert call(PEAKLINE_TOKEN=TOKEN).output == f"x {{'Authorization': 'Bearer {TOKEN}'}} None\n"


def test_a_file_is_stronger_than_the_variable_and_may_end_with_a_new_line(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("pkl_other\n")
    said = call("--token-file", str(tmp_path / "token"), "--name", "y", PEAKLINE_TOKEN=TOKEN).output
    assert said == "y {'Authorization': 'Bearer pkl_other'} None\n"


def test_without_a_token_no_header_is_sent() -> None:
    assert call().output == "x {} None\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "is empty; it must hold one token"), (b"two words", "holds no token"), (b"\xff\x00", "holds no token")],
)
def test_a_file_without_a_token_is_one_sentence(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "token").write_bytes(content)
    result = call("--token-file", str(tmp_path / "token"))
    assert result.exit_code == 2
    assert result.output.startswith("peakline: ")
    assert said in result.output


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    result = call("--token-file", str(tmp_path / "token"))
    assert result.exit_code == 2
    assert "cannot be read: No such file or directory" in result.output


def test_a_variable_with_a_line_break_is_refused_before_it_becomes_a_header() -> None:
    result = call(PEAKLINE_TOKEN="pkl_a\r\nX-Other: 1")
    assert (result.exit_code, "PEAKLINE_TOKEN holds no token" in result.output) == (2, True)


def test_a_token_is_in_no_representation() -> None:
    assert "planted" not in repr(Credentials(TOKEN))
    for status in (401, 403):
        assert "planted" not in str(Credentials(TOKEN).refused(HERE, status, "", Role.INGEST))


def test_an_authority_is_read_from_the_option_or_the_usual_variable(tmp_path: Path) -> None:
    trustme.CA().cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    assert str(tmp_path / "ca.pem") in call("--ca-file", str(tmp_path / "ca.pem")).output
    assert str(tmp_path / "ca.pem") in call(SSL_CERT_FILE=str(tmp_path / "ca.pem")).output
    assert call(SSL_CERT_FILE=str(tmp_path / "gone.pem")).output == "x {} None\n"
    assert Credentials().verify() is True


@pytest.mark.parametrize("content", ["", "no certificate"])
def test_an_authority_without_certificates_is_one_sentence(tmp_path: Path, content: str) -> None:
    (tmp_path / "ca.pem").write_text(content)
    result = call("--ca-file", str(tmp_path / "ca.pem"))
    assert (result.exit_code, "cannot be used as --ca-file" in result.output) == (2, True)
    with pytest.raises(CredentialsError):
        Credentials("", tmp_path / "gone.pem").verify()


def test_a_client_certificate_is_read_from_the_option_or_its_variable(tmp_path: Path) -> None:
    own = tmp_path / "own.pem"
    trustme.CA().issue_cert("a.example").private_key_and_cert_chain_pem.write_to_path(str(own))
    assert credentials_from(None, None, {}, own) == Credentials("", None, own)
    assert credentials_from(None, None, {"PEAKLINE_CLIENT_CERTIFICATE": str(own)}).certificate_file == own
    assert credentials_from(None, None, {}).certificate_file is None
    assert call("--client-certificate", str(own)).exit_code == 0
    context = Credentials("", None, own).verify()
    assert isinstance(context, ssl.SSLContext)
    assert context.get_ca_certs()


@pytest.mark.parametrize("what", ["nothing", "text", "certificate alone", "locked key"])
def test_a_client_certificate_that_cannot_be_used_is_one_sentence(tmp_path: Path, what: str) -> None:
    issued, own = trustme.CA().issue_cert("a.example"), tmp_path / "own.pem"
    key = load_pem_private_key(issued.private_key_pem.bytes(), None)
    locked = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"hush"))
    certificate = issued.cert_chain_pems[0].bytes()
    if what != "nothing":
        own.write_bytes({"text": b"hello", "certificate alone": certificate, "locked key": certificate + locked}[what])
    for result in (call("--client-certificate", str(own)), call(PEAKLINE_CLIENT_CERTIFICATE=str(own))):
        assert (result.exit_code, "cannot be used as --client-certificate" in result.output) == (2, True), result.output


@pytest.mark.parametrize(
    ("url", "said", "is_told"),
    [
        ("https://a.example", "Server disconnected without sending a response.", True),
        ("https://a.example", "[SSL: UNEXPECTED_EOF_WHILE_READING] EOF occurred", True),
        ("https://a.example", "[SSL: TLSV13_ALERT_CERTIFICATE_REQUIRED] tlsv13 alert", True),
        ("https://a.example", "[Errno 111] Connection refused", False),
        ("http://a.example", "Server disconnected without sending a response.", False),
    ],
)
def test_a_handshake_that_the_server_ends_is_told_from_silence(url: str, said: str, *, is_told: bool) -> None:
    bare = Credentials().not_met(url, OSError(said))
    shown = Credentials("", None, Path("own.pem")).not_met(url, OSError(said))
    assert (bare is not None) is (shown is not None) is is_told
    if is_told:
        assert bare == (
            "the server at https://a.example ended the TLS handshake; it may want a client certificate: "
            "--client-certificate FILE"
        )
        assert str(shown).endswith("it may not accept the client certificate in own.pem")


def test_a_refusal_says_what_to_do() -> None:
    wants = Credentials().refused(HERE, 401, "", Role.INGEST)
    assert wants is not None
    assert wants.startswith(f"the server at {HERE} wants a token: set PEAKLINE_TOKEN or --token-file; make one with `")
    assert wants.endswith("tokens create NAME --role ingest`")
    bad = Credentials(TOKEN).refused(HERE, 401, "", Role.VIEWER)
    assert bad is not None
    said = "the token in PEAKLINE_TOKEN (or --token-file) is not valid, expired or revoked, says the server at "
    assert bad.startswith(f"{said}{HERE}; make one with `")
    may_not = Credentials(TOKEN).refused(HERE, 403, "g has the role viewer.", Role.INGEST)
    assert may_not is not None
    assert "refuses this: g has the role viewer; if the token is for something else, make one" in may_not
    assert Credentials(TOKEN).refused(HERE, 400, "", Role.INGEST) is None


@pytest.mark.parametrize(
    ("url", "is_exposed"),
    [
        (HERE, False),
        ("http://localhost:8600", False),
        ("http://[::1]:8600", False),
        ("http://127.9.9.9", False),
        ("https://peakline.example", False),
        ("http://peakline.example", True),
        ("http://10.0.0.7:8600", True),
        ("http://[2001:db8::1]", True),
        ("http://localhost.example", True),
        ("http://127.0.0.1.example", True),
    ],
)
def test_a_token_that_goes_over_plain_http_to_another_machine_is_told(
    capsys: pytest.CaptureFixture[str], url: str, *, is_exposed: bool
) -> None:
    assert is_in_the_clear(url) is is_exposed
    warn_in_the_clear(Credentials(TOKEN), url, url)
    said = capsys.readouterr().err
    assert said.count("unencrypted; use https") == is_exposed
    assert "planted" not in said


def test_without_a_token_nothing_is_exposed(capsys: pytest.CaptureFixture[str]) -> None:
    warn_in_the_clear(credentials_from(None, None, {}), "http://peakline.example")
    assert capsys.readouterr().err == ""
