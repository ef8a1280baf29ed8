"""Binding: a taken port and a public address are told in one sentence."""

import socket

import pytest

from peakline_server.serve import PortTakenError, PublicBindError, bind


def test_a_taken_port_is_one_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(PortTakenError, match=f"port {port} on 127.0.0.1 cannot be used"):
            bind("127.0.0.1", port)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])  # noqa: S104 - refused here
def test_a_public_address_is_refused(host: str) -> None:
    with pytest.raises(PublicBindError, match="loopback only"):
        bind(host, 0)
