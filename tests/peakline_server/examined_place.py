"""What a doctor looks at, for tests: nothing anywhere, until a test names it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.harness.server import free_port
from peakline_server.client_token import Credentials
from peakline_server.doctor_finding import Finding, Place
from peakline_server.doctor_server import Asked

NOW_NS = 1_796_040_000_000_000_000
"""2026-11-30T12:00:00Z"""
EVERYWHERE = "0.0.0.0"  # noqa: S104 - nobody listens there in these tests


def asked(url: str = "", token: str = "", ca_file: Path | None = None) -> Asked:
    """A server at an address; by default one where nobody listens."""
    return Asked(url or f"http://127.0.0.1:{free_port()}", Credentials(token, ca_file))


def place(**named: Any) -> Place:
    plain = Place(
        data=None,
        host="127.0.0.1",
        ports={},
        control="",
        rules=None,
        tls=None,
        access_enabled=False,
        public_url="",
        server=asked(),
        is_named=False,
        environment={},
        clock_ns=lambda: NOW_NS,
    )
    return replace(plain, **named)


def states(found: list[Finding]) -> list[str]:
    return [str(finding.state) for finding in found]


def only(found: list[Finding]) -> Finding:
    (finding,) = found
    return finding
