"""`peakline simulate-endpoint` as a process of its own, on a free port."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_COMMAND = "from peakline_server.simulate_endpoint import simulate_endpoint; simulate_endpoint()"


@contextmanager
def started(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process and its address; killed if the test did not end it."""
    command = [sys.executable, "-c", _COMMAND, "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            greeting = process.stdout.readline()
            found = re.search(r"at (http://\S+)/v1", greeting)
            assert found, greeting
            yield process, found[1]
        finally:
            process.kill()
