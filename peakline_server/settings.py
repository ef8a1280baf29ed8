"""What `peakline serve` can be told, each with its default."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})


class Role(StrEnum):
    """Which parts a process runs; `all` is the default and the only one that embedded stores allow."""

    ALL = "all"
    INGEST = "ingest"
    WEB = "web"
    EVALUATOR = "evaluator"


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """Settings of one server process.

    data            folder of everything the server keeps
    host            address to listen on; loopback only until access is configured
    port            API, dashboard and OTLP/HTTP
    otlp_http_port  OTLP/HTTP alone; 0 switches it off
    otlp_grpc_port  OTLP/gRPC; 0 switches it off; not received yet
    store           URL of a ClickHouse, '' for the embedded one in `data`
    control         URL of a PostgreSQL, '' for SQLite in `data`
    rules           alert rule file, None for no rules
    role            parts to run
    init            make the data folder when it is missing
    capture_content  keep prompts and outputs instead of reducing them to length and salted hash
    """

    data: Path
    host: str = "127.0.0.1"
    port: int = 8600
    otlp_http_port: int = 4318
    otlp_grpc_port: int = 4317
    store: str = ""
    control: str = ""
    rules: Path | None = None
    role: Role = Role.ALL
    init: bool = False
    capture_content: bool = False

    @property
    def telemetry_url(self) -> str:
        """SQLAlchemy URL of the telemetry store."""
        return self.store or f"clickhousedb://?interface=chdb&path={self.data / 'telemetry'}"

    @property
    def control_url(self) -> str:
        """SQLAlchemy URL of the control store."""
        return self.control or f"sqlite:///{self.data / 'control.sqlite'}"
