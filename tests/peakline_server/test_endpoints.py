"""Addresses as people and emitters would type them."""

import socket
from pathlib import Path
from typing import Any

import pytest

from access.web.settings import WebSettings
from peakline_server.endpoints import endpoints_of
from peakline_server.settings import ServeSettings

PUBLIC = WebSettings(is_on=True, public_url="https://peakline.example.com")


@pytest.mark.parametrize(
    ("changes", "main", "otlp"),
    [
        ({}, "http://127.0.0.1:8600", "http://127.0.0.1:4318"),
        ({"otlp_http_port": 0}, "http://127.0.0.1:8600", "http://127.0.0.1:8600"),
        ({"port": 0}, "http://127.0.0.1:4318", "http://127.0.0.1:4318"),
        ({"host": "::1"}, "http://[::1]:8600", "http://[::1]:4318"),
        ({"host": "::"}, f"http://{socket.gethostname()}:8600", f"http://{socket.gethostname()}:4318"),
        ({"web": PUBLIC}, "https://peakline.example.com", "http://peakline.example.com:4318"),
        ({"web": PUBLIC, "otlp_http_port": 8600}, "https://peakline.example.com", "https://peakline.example.com"),
    ],
)
def test_the_public_address_goes_before_the_one_that_is_listened_on(
    changes: dict[str, Any], main: str, otlp: str
) -> None:
    found = endpoints_of(ServeSettings(data=Path("d"), **changes))
    assert (found.main_url, found.otlp_http_url) == (main, otlp)
