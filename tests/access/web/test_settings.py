import pytest

from access.web.settings import WebSettings


@pytest.mark.parametrize(
    ("settings", "is_secure"),
    [
        (WebSettings(), False),
        (WebSettings(public_url="http://10.0.0.1:8600"), False),
        (WebSettings(public_url="https://peakline.example"), True),
        (WebSettings(is_tls=True), True),
    ],
)
def test_cookies_are_secure_where_browsers_come_by_https(settings: WebSettings, *, is_secure: bool) -> None:
    assert settings.is_secure is is_secure
