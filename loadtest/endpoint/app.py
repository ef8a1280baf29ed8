"""The ASGI application of the simulated endpoint."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from loadtest.endpoint.asks import chat_ask, completion_ask
from loadtest.endpoint.completions import Completions
from loadtest.endpoint.desk import Desk
from loadtest.endpoint.faults import Faults
from loadtest.endpoint.metrics_page import CONTENT_TYPE, MetricsPage
from loadtest.endpoint.options import EndpointOptions
from loadtest.endpoint.refusals import Refusal
from loadtest.fleet.plan import ModelPlan
from loadtest.fleet.replica import ReplicaState


def create_app(options: EndpointOptions) -> Starlette:
    """An endpoint with a cluster of its own; it starts to run with the first request.

    raises  InjectionError when an option asks for a replica that the plan does not have
    """
    desk = Desk(options)
    shown = _Shown(desk, MetricsPage(desk.room, desk.record))
    app = Starlette(
        routes=[
            Route("/v1/chat/completions", Completions(desk, chat_ask), methods=["POST"]),
            Route("/v1/completions", Completions(desk, completion_ask), methods=["POST"]),
            Route("/v1/models", shown.models),
            Route("/v1/models/{name:path}", shown.model),
            Route("/health", shown.health),
            Route("/ping", shown.health, methods=["GET", "POST"]),
            Route("/version", shown.version),
            Route("/metrics", shown.metrics),
            *Faults(desk).routes(),
        ],
        exception_handlers={Refusal: _refused, HTTPException: _http_refused},
        lifespan=_lifespan,
    )
    app.state.desk = desk
    return app


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    desk: Desk = app.state.desk
    desk.start()
    yield
    await desk.stop()


@dataclass(frozen=True, slots=True)
class _Shown:
    """The routes that only show something."""

    desk: Desk
    page: MetricsPage

    async def models(self, request: Request) -> Response:
        self.desk.check_key(request.headers)
        return JSONResponse({"object": "list", "data": [self._card(model) for model in self.desk.plan.models]})

    async def model(self, request: Request) -> Response:
        self.desk.check_key(request.headers)
        name = request.path_params["name"]
        for model in self.desk.plan.models:
            if model.name == name:
                return JSONResponse(self._card(model))
        raise Refusal(404, f"The model `{name}` does not exist.", "model")

    async def health(self, _: Request) -> Response:
        """200 while any replica is ready, as an engine answers while it lives."""
        self.desk.room.advance()
        pools = self.desk.room.simulation.pools
        is_ready = any(replica.state is ReplicaState.READY for pool in pools for replica in pool.replicas)
        return Response(status_code=200 if is_ready else 503)

    async def version(self, _: Request) -> Response:
        return JSONResponse({"version": self.desk.plan.models[0].version.engine_version})

    async def metrics(self, _: Request) -> Response:
        return Response(self.page.page(), media_type=CONTENT_TYPE)

    def _card(self, model: ModelPlan) -> dict[str, object]:
        return {
            "id": model.name,
            "object": "model",
            "created": self.desk.room.clock.began_ns // 1_000_000_000,
            "owned_by": "vllm",
            "root": model.name,
            "parent": None,
            "max_model_len": model.context_window,
            "permission": [],
        }


async def _refused(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, Refusal)
    return problem.response()


async def _http_refused(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    return Refusal(problem.status_code, problem.detail, headers=problem.headers).response()
