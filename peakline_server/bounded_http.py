"""HTTP from strangers, bounded before anybody knows who they are: a request's head, its time, open connections."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES_MAX = 80 * 1024
"""A little more than the door looks at, so that it can answer what is only somewhat too long."""

HEAD_MAX_S = 10.0
CONNECTIONS_MAX = 10_000
SPARE_FILES = 256
"""Open files that are left to stores and logs when connections have taken all they may."""


class BoundedHttp(HttpToolsProtocol):
    """uvicorn's protocol would keep a request's head however long it gets, wait for it for ever, and take everybody.

    The bound holds for heads that come in several pieces; one piece is at most what one read returns.
    """

    head_max_s = HEAD_MAX_S
    connections_max = CONNECTIONS_MAX

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._head_bytes = 0
        self._is_in_body = False
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Wait for a first request, not for ever; beyond the most connections not at all."""
        super().connection_made(transport)
        if len(self.connections) > self.connections_max:
            transport.abort()
        else:
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more to wait for."""
        self._forget_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count what belongs to a head."""
        if not self._is_in_body:
            self._head_bytes += len(data)
        super().data_received(data)
        if not self._is_in_body and self._head_bytes > HEAD_BYTES_MAX:
            self.transport.abort()

    def on_message_begin(self) -> None:
        """A head begins: the first of a connection, or the next one."""
        super().on_message_begin()
        self._is_in_body = False
        self._expect_head()

    def on_headers_complete(self) -> None:
        """The head is whole; bodies are bounded by whoever reads them."""
        self._is_in_body, self._head_bytes = True, 0
        self._forget_timer()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """What comes next is a head; an idle connection ends by uvicorn's own limit."""
        self._is_in_body, self._head_bytes = False, 0
        super().on_message_complete()

    def _expect_head(self) -> None:
        self._forget_timer()
        self._head_timer = self.loop.call_later(self.head_max_s, self.transport.abort)

    def _forget_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None


def bounded_http(open_files: int, listeners: int) -> type[BoundedHttp]:
    """The protocol of each of some listeners that share this process's open files."""
    share = max(16, (open_files - SPARE_FILES) // max(1, listeners))
    return type("BoundedHttp", (BoundedHttp,), {"connections_max": min(CONNECTIONS_MAX, share)})
