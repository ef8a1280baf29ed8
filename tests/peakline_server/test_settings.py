"""Store URLs follow from the data folder unless given; the defaults are those of a server that nobody configured."""

from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from peakline_server.settings import ServeSettings, is_loopback
from peakline_server.tls import TlsSettings


def test_embedded_stores_live_in_the_data_folder() -> None:
    settings = ServeSettings(data=Path("/d"))
    assert settings.telemetry_url == "clickhousedb://?interface=chdb&path=/d/telemetry"
    assert settings.control_url == "sqlite:////d/control.sqlite"


def test_a_folder_may_have_any_name() -> None:
    settings = ServeSettings(data=Path("/d/a?b#c%20d&e+f é"))
    assert make_url(settings.control_url).database == "/d/a?b#c%20d&e+f é/control.sqlite"
    assert make_url(settings.telemetry_url).query["path"] == "/d/a?b#c%20d&e+f é/telemetry"


def test_given_urls_win() -> None:
    settings = ServeSettings(data=Path("/d"), store="clickhousedb://h/p", control="postgresql+psycopg://h/p")
    assert (settings.telemetry_url, settings.control_url) == ("clickhousedb://h/p", "postgresql+psycopg://h/p")


def test_urls_are_not_part_of_a_representation() -> None:
    settings = ServeSettings(data=Path("/d"), store="clickhousedb://u:hunter2@h/p", control="postgres://u:hunter2@h/p")
    assert "hunter2" not in repr(settings)


def test_listeners_speak_https_with_a_certificate() -> None:
    assert ServeSettings(data=Path()).scheme == "http"
    assert ServeSettings(data=Path(), tls=TlsSettings(Path("c"), Path("k"))).scheme == "https"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "localhost"])
def test_only_this_machine_reaches_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "localhost.example.org", "example.org", ""])  # noqa: S104 - no loopback
def test_others_reach_anything_else(host: str) -> None:
    assert not is_loopback(host)
