import asyncio
import threading

import pytest
from anyio import wait_all_tasks_blocked

from access.web.gate_calls import LOG_INS_AT_ONCE, LOG_INS_WAITING_MAX, BusyError, GateThreads


def test_log_ins_leave_threads_to_look_ups_and_too_many_are_told_so() -> None:
    asyncio.run(_flood())


async def _flood() -> None:
    threads, go, here = GateThreads(), threading.Event(), threading.get_ident()
    running = [asyncio.create_task(threads.log_in(go.wait)) for _ in range(LOG_INS_AT_ONCE + LOG_INS_WAITING_MAX)]
    try:
        await wait_all_tasks_blocked()
        with pytest.raises(BusyError):
            await threads.log_in(go.wait)
        assert await threads.look_up(threading.get_ident) != here
    finally:
        go.set()
        assert all(await asyncio.gather(*running))
