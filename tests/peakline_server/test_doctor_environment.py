import resource

import pytest

from peakline_server.doctor_environment import files, judged, otel, proxy
from tests.peakline_server.examined_place import only, place

ENDPOINT, PROTOCOL = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_PROTOCOL"


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, ""),
        ({ENDPOINT: "http://127.0.0.1:4318", PROTOCOL: "http/protobuf"}, ""),
        ({ENDPOINT: "http://127.0.0.1:4317"}, "port of gRPC"),
        ({ENDPOINT: "127.0.0.1:4317"}, "port of gRPC"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://[::1]:4317/v1/traces"}, "port of gRPC"),
        ({ENDPOINT: "http://here:nonsense"}, ""),
        ({PROTOCOL: "grpc"}, "grpc is not received"),
        ({"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json"}, "http/json is not received"),
    ],
)
def test_variables_that_lead_to_grpc_are_told(environment: dict[str, str], said: str) -> None:
    found = only(otel(place(environment=environment)))
    assert (found.state, said in found.sentence) == ("warning" if said else "ok", True)


@pytest.mark.parametrize("address", ["http://u:hunter2@127.0.0.1:4317", "u:hunter2@127.0.0.1:4317"])
def test_a_password_in_an_address_is_not_repeated(address: str) -> None:
    found = only(otel(place(environment={ENDPOINT: address})))
    assert ("hunter2" in found.sentence, "127.0.0.1:4317 is the port" in found.sentence) == (False, True)


@pytest.mark.parametrize(
    ("environment", "is_caught"),
    [
        ({}, False),
        ({"http_proxy": ""}, False),
        ({"http_proxy": "http://proxy:3128"}, True),
        ({"ALL_PROXY": "socks5://proxy:1080", "no_proxy": "example.com"}, True),
        ({"HTTP_PROXY": "http://proxy:3128", "no_proxy": "localhost"}, True),
        ({"HTTP_PROXY": "http://proxy:3128", "NO_PROXY": "localhost, 127.0.0.1"}, False),
        ({"http_proxy": "http://proxy:3128", "no_proxy": "*"}, False),
        ({"https_proxy": "http://proxy:3128"}, False),
    ],
)
def test_a_proxy_that_catches_loopback_is_told(environment: dict[str, str], *, is_caught: bool) -> None:
    found = only(proxy(place(environment=environment)))
    assert (found.state == "warning") is is_caught
    assert "proxy:3128" not in found.sentence


@pytest.mark.parametrize(
    ("soft", "hard", "state"),
    [
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, "ok"),
        (4096, 4096, "ok"),
        (1024, 1_048_576, "warning"),
        (256, 256, "warning"),
    ],
)
def test_few_open_files_are_told(soft: int, hard: int, state: str) -> None:
    found = judged(soft, hard)
    assert found.state == state
    assert ("raise that, too" in found.fix) is (hard == 256)


def test_the_limit_is_the_one_of_this_process() -> None:
    assert only(files(place())).state in {"ok", "warning"}
