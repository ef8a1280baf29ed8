"""A PostgreSQL of the test run's own, from Debian's package, on a Unix socket in a temporary folder."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SERVER_USER = "postgres"


def server_programs() -> Path | None:
    """Folder of the newest installed initdb and pg_ctl, None where PostgreSQL is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).parent if on_path else None


@contextmanager
def running_postgresql(programs: Path) -> Iterator[str]:
    """SQLAlchemy URL of a fresh server. It refuses to run as root, so root lends it the account of its package."""
    user = SERVER_USER if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="peakline-pg-"))
    if user:
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)

    def call(program: str, *arguments: str) -> None:
        subprocess.run(
            [str(programs / program), *arguments],
            user=user,
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=60,
        )

    data = str(folder / "data")
    try:
        call("initdb", "--pgdata", data, "--username", "peakline", "--auth", "trust", "--encoding", "UTF8", "--no-sync")
        listen = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        call("pg_ctl", "--pgdata", data, "--log", str(folder / "log"), "--options", listen, "--wait", "start")
        try:
            yield f"postgresql+psycopg://peakline@/postgres?host={folder}"
        finally:
            call("pg_ctl", "--pgdata", data, "--mode", "immediate", "--wait", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
