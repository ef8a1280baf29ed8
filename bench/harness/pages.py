"""Pages as a browser asks for them: the callback that draws a page, posted over one kept connection."""

import http.client
import json
from typing import Any
from urllib.parse import quote

_DRAWN = "choices.children"


class PageReader:
    """Asks one server, one question at a time. Close it at the end."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        asked: list[dict[str, Any]] = json.loads(self.get("/_dash-dependencies"))
        self._callback = next(one for one in asked if _DRAWN in one["output"])

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def get(self, path: str) -> bytes:
        """Body of an answer with status 200."""
        return self._asked("GET", path)

    def page(self, address: str) -> bytes:
        """What fills the page of an address such as `/requests?range=1h`: every part of it, as JSON."""
        path, _, search = address.partition("?")
        values = {"pathname": path, "search": f"?{search}" if search else ""}
        inputs = [{**one, "value": values[one["property"]]} for one in self._callback["inputs"]]
        parts = [part.rpartition(".") for part in self._callback["output"].strip(".").split("...")]
        body = {
            "output": self._callback["output"],
            "outputs": [{"id": place, "property": name} for place, _, name in parts],
            "inputs": inputs,
            "changedPropIds": [f"{one['id']}.{one['property']}" for one in inputs],
        }
        return self._asked("POST", "/_dash-update-component", json.dumps(body).encode())

    def _asked(self, method: str, path: str, body: bytes | None = None) -> bytes:
        headers = {"Content-Type": "application/json"} if body else {}
        self._connection.request(method, path, body, headers)
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status != http.HTTPStatus.OK:
            message = f"{method} {path}: status {answer.status}"
            raise RuntimeError(message)
        return content


def query(**parameters: str) -> str:
    """A query string; empty parameters are left out."""
    return "&".join(f"{name}={quote(value, safe=':')}" for name, value in parameters.items() if value)
