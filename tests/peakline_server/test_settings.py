"""Store URLs follow from the data folder unless given."""

from pathlib import Path

from peakline_server.settings import ServeSettings


def test_embedded_stores_live_in_the_data_folder() -> None:
    settings = ServeSettings(data=Path("/d"))
    assert settings.telemetry_url == "clickhousedb://?interface=chdb&path=/d/telemetry"
    assert settings.control_url == "sqlite:////d/control.sqlite"


def test_given_urls_win() -> None:
    settings = ServeSettings(data=Path("/d"), store="clickhousedb://h/p", control="postgresql+psycopg://h/p")
    assert (settings.telemetry_url, settings.control_url) == ("clickhousedb://h/p", "postgresql+psycopg://h/p")
