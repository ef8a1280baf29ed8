"""Real certificates of an authority of the test's own."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from peakline_server.doctor_tls import certificate
from peakline_server.tls import TlsSettings
from tests.peakline_server.examined_place import EVERYWHERE, only, place, states

Make = Callable[..., TlsSettings]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def made(*hosts: str, days: int = 300) -> TlsSettings:
        issued = trustme.CA().issue_cert(*hosts, not_after=datetime.now(UTC) + timedelta(days=days))
        issued.cert_chain_pems[0].write_to_path(str(tmp_path / "server.pem"))
        issued.private_key_pem.write_to_path(str(tmp_path / "server.key"))
        (tmp_path / "server.key").chmod(0o600)
        return TlsSettings(tmp_path / "server.pem", tmp_path / "server.key")

    return made


def test_a_good_certificate_is_told_with_its_names(make: Make) -> None:
    found = only(certificate(place(tls=make("127.0.0.1", "peakline.example"), clock_ns=time.time_ns)))
    assert (found.state, found.sentence.endswith("for peakline.example, 127.0.0.1.")) == ("ok", True), found


def test_a_certificate_that_ends_soon_is_told(make: Make) -> None:
    found = only(certificate(place(tls=make("127.0.0.1", days=20), clock_ns=time.time_ns)))
    assert (found.state, "expires on" in found.sentence) == ("warning", True)


def test_a_certificate_that_has_ended_is_a_problem(make: Make) -> None:
    later_ns = time.time_ns() + 400 * 86_400 * 10**9
    found = only(certificate(place(tls=make("127.0.0.1"), clock_ns=lambda: later_ns)))
    assert (found.state, "expired on" in found.sentence) == ("problem", True)


@pytest.mark.parametrize(
    ("hosts", "host", "public_url", "fits"),
    [
        (["peakline.example"], EVERYWHERE, "https://peakline.example:8600", True),
        (["*.example"], EVERYWHERE, "https://peakline.example", True),
        (["*.example"], EVERYWHERE, "https://a.peakline.example", False),
        (["other.example"], EVERYWHERE, "https://peakline.example", False),
        (["other.example"], EVERYWHERE, "", True),
        (["10.0.0.7"], "10.0.0.7", "", True),
        (["10.0.0.8"], "10.0.0.7", "", False),
        (["::1"], "0:0:0:0:0:0:0:1", "", True),
    ],
)
def test_a_certificate_must_name_the_server(
    make: Make, hosts: list[str], host: str, public_url: str, *, fits: bool
) -> None:
    here = place(tls=make(*hosts), host=host, public_url=public_url, clock_ns=time.time_ns)
    assert states(certificate(here)) == ["ok" if fits else "problem"]


def test_a_key_that_others_read_is_told(make: Make) -> None:
    tls = make("127.0.0.1")
    tls.key_file.chmod(0o644)
    found = only(certificate(place(tls=tls, clock_ns=time.time_ns)))
    assert (found.state, "chmod 600" in found.sentence) == ("warning", True)


def test_a_missing_file_is_a_problem(make: Make) -> None:
    tls = make("127.0.0.1")
    tls.key_file.unlink()
    assert "does not exist" in only(certificate(place(tls=tls, clock_ns=time.time_ns))).sentence


def test_the_certificate_of_an_unreadable_configuration_is_not_guessed() -> None:
    found = only(certificate(place(host=EVERYWHERE, configuration_is_read=False)))
    assert (found.state, "the configuration cannot be read" in found.sentence) == ("skipped", True)


@pytest.mark.parametrize(
    ("host", "public_url", "state"),
    [
        ("127.0.0.1", "", "skipped"),
        (EVERYWHERE, "https://peakline.example", "skipped"),
        (EVERYWHERE, "", "warning"),
        ("10.0.0.7", "http://peakline.example", "warning"),
    ],
)
def test_plain_http_to_other_machines_is_told(host: str, public_url: str, state: str) -> None:
    assert states(certificate(place(host=host, public_url=public_url))) == [state]
