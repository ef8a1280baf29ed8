import asyncio
import json

import httpx
import pytest

from loadtest.endpoint.app import create_app
from loadtest.endpoint.options import EndpointOptions
from loadtest.endpoint.plans import DEFAULT_MODEL, default_plan
from tests.loadtest.endpoint.running import Endpoint, running


def test_models_are_listed_with_their_context_window(endpoint: Endpoint) -> None:
    listed = endpoint.client.get("/v1/models").json()
    assert [(card["id"], card["max_model_len"]) for card in listed["data"]] == [(DEFAULT_MODEL, 16_384)]
    assert endpoint.client.get(f"/v1/models/{DEFAULT_MODEL}").json() == listed["data"][0]


def test_an_unknown_model_is_404_in_vllms_shape(endpoint: Endpoint) -> None:
    response = endpoint.client.get("/v1/models/some/other")
    assert response.status_code == 404
    assert response.json()["error"] == {
        "message": "The model `some/other` does not exist.",
        "type": "NotFoundError",
        "param": "model",
        "code": 404,
    }


def test_health_ping_and_version_answer(endpoint: Endpoint) -> None:
    assert [endpoint.client.get(path).status_code for path in ("/health", "/ping")] == [200, 200]
    assert endpoint.client.post("/ping").status_code == 200
    assert endpoint.client.get("/version").json() == {"version": "0.33.0"}


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/nowhere", 404), ("GET", "/v1/completions", 405)])
def test_wrong_paths_and_methods_are_told_in_the_same_shape(
    endpoint: Endpoint, method: str, path: str, status: int
) -> None:
    response = endpoint.client.request(method, path)
    assert (response.status_code, response.json()["error"]["code"]) == (status, status)


def test_a_key_guards_v1_but_not_health() -> None:
    with running(api_key="right") as one:
        assert one.client.get("/v1/models").status_code == 401
        assert one.chat().status_code == 401
        assert one.chat(headers={"authorization": "Bearer right"}).status_code == 200
        assert one.client.get("/health").status_code == 200
        assert one.client.get("/metrics").status_code == 200


def test_the_lifespan_starts_and_stops_the_cluster() -> None:
    async def lived() -> None:
        app = create_app(EndpointOptions(plan=default_plan(), speed=50.0))
        transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 1))
        async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport, base_url="http://e") as ask:
            body = json.dumps({"messages": [{"role": "user", "content": "hi"}]})
            assert (await ask.post("/v1/chat/completions", content=body)).status_code == 200
        assert app.state.desk.stopping.is_set()

    asyncio.run(lived())
