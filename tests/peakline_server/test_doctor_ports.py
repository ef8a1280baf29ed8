"""Real sockets on the loopback."""

import errno
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.harness.server import free_port
from peakline_server.doctor_ports import holder, ports, why_not
from store.telemetry.lock import FolderLock
from tests.peakline_server.examined_place import asked, only, place


@pytest.fixture
def taken() -> Iterator[int]:
    """A port where something listens that is no Peakline."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def test_a_free_port_is_fine_and_stays_free() -> None:
    port = free_port()
    assert only(ports(place(ports={"main": port}))).sentence == f"127.0.0.1:{port} (main) is free."
    assert why_not("127.0.0.1", port) is None


def test_a_taken_port_says_by_whom(taken: int) -> None:
    found = only(ports(place(ports={"OTLP/HTTP": taken}, server=asked())))
    assert found.state == "problem"
    assert f"(pid {os.getpid()})" in found.sentence
    assert "server.otlp_http_port" in found.fix


def test_the_process_that_has_the_data_folder_is_ours(taken: int, tmp_path: Path) -> None:
    lock = FolderLock(tmp_path)
    found = only(ports(place(ports={"main": taken}, data=tmp_path)))
    lock.release()
    assert (found.state, "served by a running Peakline server" in found.sentence) == ("ok", True)


def test_a_peakline_server_says_that_it_is_one(peakline: str) -> None:
    port = int(peakline.rpartition(":")[2])
    found = only(ports(place(ports={"main": port}, server=asked(peakline))))
    assert (found.state, "served by a running Peakline server" in found.sentence) == ("ok", True)


def test_a_server_of_another_folder_is_not_taken_for_ours(peakline: str, tmp_path: Path) -> None:
    port = int(peakline.rpartition(":")[2])
    found = only(ports(place(ports={"main": port}, server=asked(peakline), data=tmp_path)))
    assert (found.state, "by a Peakline server of another folder" in found.sentence) == ("warning", True)
    assert "server.port" in found.fix


def test_an_address_of_another_machine_is_told() -> None:
    found = only(ports(place(host="203.0.113.7", ports={"main": free_port()})))
    assert (found.state, "has no address 203.0.113.7" in found.sentence) == ("problem", True)
    assert "no address no.such.host.invalid" in only(ports(place(host="no.such.host.invalid", ports={"m": 1}))).sentence


@pytest.mark.skipif(os.geteuid() == 0, reason="root may use every port")
def test_a_port_of_root_is_told() -> None:
    start = Path("/proc/sys/net/ipv4/ip_unprivileged_port_start")
    if not start.exists() or int(start.read_text()) <= 79:
        pytest.skip("this system lets everybody use every port")
    assert why_not("127.0.0.1", 79) == errno.EACCES


def test_a_system_that_hides_its_processes_names_nobody(tmp_path: Path, taken: int) -> None:
    assert holder(taken, tmp_path) is None
    assert holder(free_port()) is None
