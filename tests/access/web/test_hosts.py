from typing import Any

import pytest

from access.web.hosts import host_name, is_foreign, is_forwarded, is_from_this_machine, is_known_host
from access.web.settings import WebSettings


def _scope(client: str | None = "127.0.0.1", scheme: str = "http", **headers: str) -> dict[str, Any]:
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"client": (client, 1) if client else None, "headers": pairs, "scheme": scheme}


@pytest.mark.parametrize(
    ("authority", "name"),
    [
        ("Peakline.Example:8600", "peakline.example"),
        ("peakline.example.", "peakline.example"),
        ("[::1]:8600", "::1"),
        ("127.0.0.1", "127.0.0.1"),
        ("user@evil.example", None),
        ("a b", None),
        ("a/b", None),
        ("", None),
        ("a:80:90", None),
        ("[::1", None),
    ],
)
def test_a_host_name_is_what_stands_before_the_port(authority: str, name: str | None) -> None:
    assert host_name(authority) == name


@pytest.mark.parametrize(
    ("client", "host"),
    [("127.0.0.1", "127.0.0.1:8600"), ("::1", "[::1]:8600"), ("127.9.9.9", "LOCALHOST"), (None, "localhost:1")],
)
def test_loopback_under_a_loopback_name_is_this_machine(client: str | None, host: str) -> None:
    assert is_from_this_machine(_scope(client, host=host))


@pytest.mark.parametrize(
    ("client", "host"),
    [
        ("10.0.0.7", "127.0.0.1"),
        ("127.0.0.1", "evil.example:8600"),
        ("127.0.0.1", "8.8.8.8"),
        ("127.0.0.1", "localhost.evil.example"),
        ("127.0.0.1", "127.0.0.1@evil.example"),
        ("nobody", "localhost"),
    ],
)
def test_another_peer_or_another_name_is_not_this_machine(client: str, host: str) -> None:
    assert not is_from_this_machine(_scope(client, host=host))


def test_two_host_headers_are_not_this_machine() -> None:
    scope = _scope(host="127.0.0.1")
    scope["headers"].append((b"host", b"evil.example"))
    assert not is_from_this_machine(scope)


@pytest.mark.parametrize(
    "name",
    [
        *("forwarded", "x_forwarded_for", "x_forwarded_host", "x_forwarded_proto", "x_forwarded_server", "x_real_ip"),
        *("via", "x_client_ip", "cf_connecting_ip", "true_client_ip", "x_envoy_external_address", "x_original_host"),
    ],
)
def test_any_header_of_a_proxy_is_noticed(name: str) -> None:
    assert is_forwarded(_scope(**{name: "x"}))
    assert not is_forwarded(_scope(accept="x"))


def test_only_listed_hosts_and_the_public_one_are_known() -> None:
    settings = WebSettings(hosts=frozenset({"a.example"}), public_url="https://b.example:8443")
    assert is_known_host(_scope(host="A.example:80"), settings)
    assert is_known_host(_scope(host="b.example"), settings)
    assert not is_known_host(_scope(host="c.example"), settings)
    assert not is_known_host(_scope(), settings)
    assert is_known_host(_scope(host="c.example"), WebSettings())


def test_a_malformed_host_is_not_known_although_no_public_address_is_set() -> None:
    assert not is_known_host(_scope(host="a b"), WebSettings(hosts=frozenset({"a.example"})))


PUBLIC = WebSettings(public_url="https://peakline.example")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://127.0.0.1:8600", "host": "127.0.0.1:8600"},
        {"origin": "https://peakline.example", "host": "10.0.0.1:8600"},
        {"origin": "https://Other.example", "host": "other.example:443"},
        {"sec_fetch_site": "same-origin"},
        {"sec_fetch_site": "none"},
    ],
)
def test_our_own_pages_and_programs_are_not_foreign(headers: dict[str, str]) -> None:
    assert not is_foreign(_scope(**headers), PUBLIC)


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example", "host": "peakline.example"},
        {"origin": "null", "host": "peakline.example"},
        {"origin": "http://peakline.example:8601", "host": "peakline.example:8600"},
        {"origin": "https://peakline.example.evil.example", "host": "peakline.example"},
        {"origin": "file://", "host": "peakline.example"},
        {"origin": "https://", "host": ""},
        {"origin": "", "host": "peakline.example"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": "same-origin, cross-site"},
        {"sec_fetch_site": "Cross-Site", "origin": "https://peakline.example"},
    ],
)
def test_pages_of_others_are_foreign(headers: dict[str, str]) -> None:
    assert is_foreign(_scope(**headers), PUBLIC)


def test_two_origins_are_foreign() -> None:
    scope = _scope(host="peakline.example", origin="https://peakline.example")
    scope["headers"].append((b"origin", b"https://peakline.example"))
    assert is_foreign(scope, PUBLIC)


def test_a_plain_page_is_foreign_to_an_encrypted_request() -> None:
    headers = {"origin": "http://other.example", "host": "other.example"}
    assert is_foreign(_scope(scheme="https", **headers), PUBLIC)
    assert is_foreign(_scope(scheme="wss", **headers), PUBLIC)
    assert not is_foreign(_scope(scheme="http", **headers), PUBLIC)
