"""`/simulate/faults`: inject trouble, see it, end it. For callers on this machine only."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from loadtest.endpoint.behaviours import KIND, RESTART, behave_from
from loadtest.endpoint.desk import Desk, is_loopback
from loadtest.endpoint.injections import InjectionError, injection_from
from loadtest.endpoint.refusals import Refusal, bad_request

_BODY_MAX = 65_536
_HERE = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?", re.IGNORECASE)
"""`Host` of a caller who means this machine. Whatever cannot be read is somebody else."""
_Answer = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Faults:
    """The routes of `/simulate/faults`."""

    desk: Desk

    def routes(self) -> list[Route]:
        """All of them, guarded."""
        return [
            Route("/simulate/faults", self._guarded(self.show), methods=["GET"]),
            Route("/simulate/faults", self._guarded(self.plant), methods=["POST"]),
            Route("/simulate/faults", self._guarded(self.clear), methods=["DELETE"]),
            Route("/simulate/faults/{number}", self._guarded(self.remove), methods=["DELETE"]),
        ]

    async def show(self, _: Request) -> Response:
        """What is injected, and how often each kind has struck since the start."""
        desk = self.desk
        planted = [one.document for one in desk.injections.planted.values()]
        changed = [desk.behaviours.document(number) for number in desk.behaviours.planted]
        return JSONResponse({"faults": [*planted, *changed], "counts": desk.injections.counts})

    async def plant(self, request: Request) -> Response:
        """Inject one more."""
        fields = await _document(request)
        try:
            return JSONResponse(self._planted(fields), 201)
        except InjectionError as problem:
            raise bad_request(str(problem)) from None

    async def clear(self, _: Request) -> Response:
        """End all."""
        return JSONResponse({"removed": sum(map(self._remove, self._numbers()))})

    async def remove(self, request: Request) -> Response:
        """End one."""
        asked = request.path_params["number"]
        number = next((one for one in self._numbers() if str(one) == asked), None)
        if number is None:
            raise Refusal(404, f"There is no fault {asked}.")
        self._remove(number)
        return JSONResponse({"removed": 1})

    def _planted(self, fields: dict[str, Any]) -> dict[str, Any]:
        injections = self.desk.injections
        behaviours, kind = self.desk.behaviours, fields.get("kind")
        if kind not in (KIND, RESTART):
            return self.desk.plant(injection_from(fields)).document
        del fields["kind"]
        fields.setdefault("model", self.desk.plan.models[0].name)
        if kind == RESTART:
            return behaviours.restart(fields)
        return behaviours.plant(injections.next_number(), behave_from(fields))

    def _numbers(self) -> list[int]:
        return [*self.desk.injections.planted, *self.desk.behaviours.planted]

    def _remove(self, number: int) -> bool:
        return self.desk.injections.planted.pop(number, None) is not None or self.desk.behaviours.remove(number)

    def _guarded(self, answer: _Answer) -> _Answer:
        async def guarded(request: Request) -> Response:
            # A page in somebody's browser must not reach this, under whatever name it resolves the address.
            if not is_loopback(request.scope) or not _HERE.fullmatch(request.headers.get("host", "")):
                raise Refusal(403, "Faults are injected from this machine only, at a loopback address.")
            self.desk.check_key(request.headers)
            return await answer(request)

        return guarded


async def _document(request: Request) -> dict[str, Any]:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refusal(415, "Send application/json.")
    raw = bytearray()
    async for part in request.stream():
        raw += part
        if len(raw) > _BODY_MAX:
            raise Refusal(413, f"The body is larger than {_BODY_MAX} bytes.")
    try:
        return msgspec.json.decode(bytes(raw), type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise bad_request(f"The body is no JSON object: {problem}") from None
