from ipaddress import ip_network
from typing import Any

import pytest

from access.web.proxies import Proxies

TRUSTED = Proxies((ip_network("10.0.0.0/8"), ip_network("fd00::/8")))


def _seen(peer: str, *hops: str, **more: str) -> Any:
    headers = [(b"x-forwarded-for", hop.encode()) for hop in hops]
    headers += [(name.replace("_", "-").encode(), value.encode()) for name, value in more.items()]
    scope = {"type": "http", "scheme": "http", "client": (peer, 5), "headers": [(b"host", b"inner"), *headers]}
    return TRUSTED.behind(scope)


@pytest.mark.parametrize(
    ("peer", "hops", "client"),
    [
        ("10.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        ("10.0.0.1", ["127.0.0.1, 203.0.113.9"], "203.0.113.9"),
        ("10.0.0.1", ["203.0.113.9, 10.0.0.2, 10.0.0.3"], "203.0.113.9"),
        ("10.0.0.1", ["203.0.113.9", "10.0.0.2"], "203.0.113.9"),
        ("10.0.0.1", ["10.0.0.9, 10.0.0.2"], "10.0.0.9"),
        ("10.0.0.1", ["203.0.113.9:4711"], "203.0.113.9"),
        ("10.0.0.1", ["[2001:db8::1]:4711"], "2001:db8::1"),
        ("10.0.0.1", ["2001:db8::1"], "2001:db8::1"),
        ("fd00::1", ["::ffff:203.0.113.9"], "203.0.113.9"),
        ("::ffff:10.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        ("10.0.0.1", ["203.0.113.9, unknown"], "10.0.0.1"),
        ("10.0.0.1", ["203.0.113.9, unknown, 10.0.0.2"], "10.0.0.2"),
        ("10.0.0.1", [""], "10.0.0.1"),
        ("10.0.0.1", [], "10.0.0.1"),
    ],
)
def test_the_client_is_the_last_hop_that_is_no_trusted_proxy(peer: str, hops: list[str], client: str) -> None:
    assert _seen(peer, *hops)["client"][0] == client


@pytest.mark.parametrize("peer", ["203.0.113.5", "127.0.0.1", "nobody"])
def test_what_an_untrusted_peer_forwards_is_ignored_and_taken_out(peer: str) -> None:
    seen = _seen(peer, "127.0.0.1", x_forwarded_proto="https", x_forwarded_host="evil.example")
    assert seen["client"] == (peer, 5)
    assert seen["scheme"] == "http"
    assert seen["headers"] == [(b"host", b"inner")]


def test_scheme_and_host_come_from_a_trusted_proxy() -> None:
    seen = _seen("10.0.0.1", "203.0.113.9", x_forwarded_proto="http, https", x_forwarded_host="peakline.example")
    assert (seen["scheme"], seen["headers"]) == ("https", [(b"host", b"peakline.example")])


def test_a_websocket_behind_https_is_encrypted() -> None:
    headers = [(b"x-forwarded-proto", b"https")]
    assert TRUSTED.behind({"type": "websocket", "client": ("10.0.0.1", 1), "headers": headers})["scheme"] == "wss"


def test_malformed_schemes_and_hosts_change_nothing() -> None:
    seen = _seen("10.0.0.1", x_forwarded_proto="gopher", x_forwarded_host="a b")
    assert (seen["scheme"], seen["headers"]) == ("http", [(b"host", b"inner")])


def test_a_chain_of_any_length_costs_a_bounded_look() -> None:
    assert _seen("10.0.0.1", "203.0.113.9, " + ", ".join(["10.0.0.2"] * 1000))["client"][0] == "10.0.0.2"


def test_without_a_peer_nothing_is_trusted() -> None:
    scope = {"type": "http", "client": None, "headers": [(b"x-forwarded-for", b"127.0.0.1")]}
    assert TRUSTED.behind(scope) == {"type": "http", "client": None, "headers": []}
