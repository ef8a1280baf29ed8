"""What a process is made of. Servers themselves are started in tests/paths, each in a process of its own."""

from pathlib import Path

import pytest

from dashboard.house import Endpoints
from peakline_server.settings import Role, ServeSettings
from peakline_server.wiring import RoleError, build_server, greeting

_ENDPOINTS = Endpoints("http://127.0.0.1:8600", "http://127.0.0.1:4318")


@pytest.mark.parametrize("role", [Role.INGEST, Role.WEB, Role.EVALUATOR])
def test_a_part_alone_needs_stores_that_can_be_shared(role: Role, tmp_path: Path) -> None:
    with pytest.raises(RoleError, match="--role all"):
        build_server(ServeSettings(data=tmp_path, role=role, store="clickhousedb://h/p"))
    assert list(tmp_path.iterdir()) == []


def test_the_greeting_names_the_port_to_send_to() -> None:
    text = greeting(ServeSettings(data=Path("d")), _ENDPOINTS)
    assert "export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318" in text
    assert "http://127.0.0.1:8600/api/docs" in text
    assert "OTLP/gRPC is not received yet" in text


def test_the_greeting_is_silent_about_a_listener_that_is_off() -> None:
    assert "gRPC" not in greeting(ServeSettings(data=Path("d"), otlp_grpc_port=0), _ENDPOINTS)


def test_the_greeting_of_a_part_names_what_the_part_does() -> None:
    web = greeting(ServeSettings(data=Path("d"), role=Role.WEB), _ENDPOINTS)
    ingest = greeting(ServeSettings(data=Path("d"), role=Role.INGEST), _ENDPOINTS)
    assert ("Dashboard" in web, "OTEL_EXPORTER" in web) == (True, False)
    assert ("Dashboard" in ingest, "OTEL_EXPORTER" in ingest) == (False, True)
