"""What the door costs: small requests a second with access on, as a ratio to the same server with access off.

One connection asks as fast as it is answered: who it is (with a token, with a session), and one small body of telemetry
that is stored. The two servers run one after the other on the same machine; only ratios are worth comparing.

    python -m bench.access
"""

import argparse
import http.client
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from access.room import AccessRoom, open_room
from access.settings import AccessSettings
from bench.harness.bodies import template
from bench.harness.server import ServerProcess, running_server
from store.control.access_book import SqlAccessBook
from store.control.open import open_control
from vocabulary.access import Role

PASSWORD = "correct horse battery"  # noqa: S105 - of a throw-away server
SPANS_A_BODY = 20
Headers = dict[str, str]


def rate(ask: Callable[[], int], seconds: float) -> float:
    """Answers a second; every one must be 200."""
    count, start = 0, time.perf_counter()
    while (spent := time.perf_counter() - start) < seconds:
        assert ask() == http.client.OK
        count += 1
    return count / spent


def asking(server: ServerProcess, headers: Headers) -> Callable[[], int]:
    """Who am I."""
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

    def ask() -> int:
        link.request("GET", "/api/v1/me", headers=headers)
        answer = link.getresponse()
        answer.read()
        return answer.status

    return ask


def sending(server: ServerProcess, headers: Headers) -> Callable[[], int]:
    """One body of telemetry, stored when it is answered."""
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    body = template(SPANS_A_BODY)

    def ask() -> int:
        link.request(
            "POST", "/v1/traces", body.fresh(time.time_ns()), {"Content-Type": "application/x-protobuf", **headers}
        )
        answer = link.getresponse()
        answer.read()
        return answer.status

    return ask


def credentials(data: Path) -> tuple[Headers, Headers]:
    """A token's header and a session's, made as the product makes them."""
    control = open_control(f"sqlite:///{data / 'control.sqlite'}")
    try:
        room: AccessRoom = open_room(SqlAccessBook(control.engine), time.time_ns, AccessSettings())
        token = room.administration.create_token("bench", Role.ADMIN, None, None, "bench")[1]
        room.administration.create_user("bench", Role.ADMIN, None, PASSWORD, "bench")
        cookie = room.gate.log_in("bench", PASSWORD, "127.0.0.1").cookie
    finally:
        control.close()
    return {"Authorization": f"Bearer {token}"}, {"Cookie": f"peakline_session={cookie}"}


def measured(folder: Path, seconds: float) -> dict[str, float]:
    """Rates by name, access off and on."""
    found: dict[str, float] = {}
    with running_server(folder / "off") as server:
        found["off: who am I"] = rate(asking(server, {}), seconds)
        found["off: one body"] = rate(sending(server, {}), seconds)
    (folder / "on").mkdir()
    configuration = folder / "peakline.yaml"
    configuration.write_text("access: {enabled: true}\n")
    with running_server(folder / "on", "--config", str(configuration)) as server:
        token, session = credentials(server.data)
        found["on: who am I, by token"] = rate(asking(server, token), seconds)
        found["on: who am I, by session"] = rate(asking(server, session), seconds)
        found["on: one body, by token"] = rate(sending(server, token), seconds)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=10.0, help="length of each of the five runs")
    parser.add_argument("--short", action="store_true", help="2 seconds each")
    seconds = 2.0 if (asked := parser.parse_args()).short else asked.seconds
    with tempfile.TemporaryDirectory(prefix="peakline-bench-") as folder:
        (Path(folder) / "off").mkdir()
        found = measured(Path(folder), seconds)
    for name, value in found.items():
        base = found["off: one body" if "body" in name else "off: who am I"]
        print(f"{name:26} {value:9,.0f}/s  ratio {value / base:.2f}  {1e6 / value - 1e6 / base:+7.0f} us")


if __name__ == "__main__":
    main()
