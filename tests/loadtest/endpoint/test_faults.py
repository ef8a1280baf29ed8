from collections.abc import Iterator

import pytest

from tests.loadtest.endpoint.running import Endpoint, running

FAULTS = "/simulate/faults"
QUESTION = {"messages": [{"role": "user", "content": "hi"}], "stream": True}


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with running() as one:
        yield one


def test_a_fault_is_planted_strikes_is_shown_and_ends(endpoint: Endpoint) -> None:
    planted = endpoint.post(FAULTS, {"kind": "503", "share": 1.0})
    assert planted.status_code == 201
    number = planted.json()["id"]
    assert endpoint.chat().status_code == 503
    shown = endpoint.client.get(FAULTS).json()
    assert [(fault["id"], fault["kind"], fault["hits"]) for fault in shown["faults"]] == [(number, "503", 1)]
    assert shown["counts"]["503"] == 1
    assert endpoint.client.delete(f"{FAULTS}/{number}").json() == {"removed": 1}
    assert endpoint.chat().status_code == 200
    assert endpoint.count("503") == 1


def test_replicas_are_made_to_behave_and_come_back(endpoint: Endpoint) -> None:
    told = endpoint.post(FAULTS, {"kind": "behave", "error_probability": 1.0}).json()
    assert (told["replicas"], told["error_probability"]) == ([], 1.0)
    assert endpoint.chat().status_code == 500
    assert endpoint.client.get(FAULTS).json()["faults"] == [told]
    assert endpoint.client.delete(FAULTS).json() == {"removed": 1}
    assert endpoint.chat().status_code == 200


def test_a_behaviour_with_a_length_ends_by_itself(endpoint: Endpoint) -> None:
    endpoint.post(FAULTS, {"kind": "behave", "speed": 0.0, "replicas": [0, 1], "for_s": 40.0})
    assert endpoint.chat().status_code == 200
    assert endpoint.client.get(FAULTS).json()["faults"] == []


def test_a_restart_loses_what_a_replica_has_and_frees_what_hung(endpoint: Endpoint) -> None:
    hanging = endpoint.post(FAULTS, {"kind": "behave", "hang_probability": 1.0}).json()["id"]
    with endpoint.client.stream("POST", "/v1/chat/completions", json=QUESTION) as response:
        next(response.iter_lines())
    endpoint.client.delete(f"{FAULTS}/{hanging}")
    pool = endpoint.desk.room.simulation.pools[0]
    assert sum(replica.in_flight for replica in pool.replicas) == 1
    told = endpoint.post(FAULTS, {"kind": "restart"})
    assert (told.status_code, told.json()["replicas"]) == (201, [0, 1])
    assert sum(replica.in_flight for replica in pool.replicas) == 0
    assert endpoint.client.get("/health").status_code == 503
    while endpoint.client.get("/health").status_code != 200:
        pass
    assert endpoint.chat().status_code == 200


def test_all_end_at_once(endpoint: Endpoint) -> None:
    for kind in ("429", "stall", "empty"):
        endpoint.post(FAULTS, {"kind": kind, "share": 0.0})
    assert endpoint.client.delete(FAULTS).json() == {"removed": 3}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"kind": "restart", "replicas": [7]},
        {"kind": "restart", "x": 1},
        {"kind": "no"},
        {"kind": []},
        {"kind": {}},
        {"kind": "429", "model": "absent"},
        {"kind": "behave", "speed": "nan"},
        {"kind": "behave", "speed": 1e308},
        {"kind": "429", "x": 1},
        {"kind": "behave", "replicas": [9], "speed": 1},
    ],
)
def test_what_cannot_be_is_400_with_a_sentence(endpoint: Endpoint, body: dict[str, object]) -> None:
    response = endpoint.post(FAULTS, body)
    assert response.status_code == 400
    assert response.json()["error"]["message"]


def test_what_is_not_there_cannot_be_removed(endpoint: Endpoint) -> None:
    for number in ("99", "9" * 5000, "-1", "x"):
        assert endpoint.client.delete(f"{FAULTS}/{number}").status_code == 404


def test_a_body_nested_too_deeply_is_400(endpoint: Endpoint) -> None:
    deep = b'{"kind": "429", "x": ' + b"[" * 30_000 + b"]" * 30_000 + b"}"
    answer = endpoint.client.post(FAULTS, content=deep, headers={"content-type": "Application/JSON"})
    assert answer.status_code == 400


@pytest.mark.parametrize(
    "host", ["", "[", "evil@127.0.0.1", "127.0.0.1#.evil.example", "127.0.0.1:x", "localhost.evil", "testclient"]
)
def test_a_host_that_cannot_be_read_is_not_this_machine(endpoint: Endpoint, host: str) -> None:
    assert endpoint.client.get(FAULTS, headers={"host": host}).status_code == 403


@pytest.mark.parametrize("host", ["127.0.0.1", "LocalHost:8000", "[::1]:8000"])
def test_this_machine_has_several_names(endpoint: Endpoint, host: str) -> None:
    assert endpoint.client.get(FAULTS, headers={"host": host}).status_code == 200


def test_a_page_in_a_browser_reaches_nothing(endpoint: Endpoint) -> None:
    renamed = endpoint.client.get(FAULTS, headers={"host": "evil.example"})
    plain = endpoint.client.post(FAULTS, content='{"kind": "503"}', headers={"content-type": "text/plain"})
    assert (renamed.status_code, plain.status_code) == (403, 415)
    assert endpoint.client.get(FAULTS).json()["faults"] == []


def test_a_caller_from_elsewhere_reaches_nothing(endpoint: Endpoint) -> None:
    assert endpoint.client.get(FAULTS, headers={"x-forwarded-for": "192.0.2.7"}).status_code == 403


def test_a_body_is_bounded_and_must_be_an_object(endpoint: Endpoint) -> None:
    assert endpoint.post(FAULTS, {"kind": "x" * 70_000}).status_code == 413
    assert endpoint.post(FAULTS, [1]).status_code == 400


def test_the_key_guards_faults_too() -> None:
    with running(api_key="right") as one:
        assert one.client.get(FAULTS).status_code == 401
        assert one.client.get(FAULTS, headers={"authorization": "Bearer right"}).status_code == 200
