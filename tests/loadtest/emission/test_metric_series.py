"""Every source has its series in the order of its rows."""

from types import SimpleNamespace

from loadtest.emission.metric_series import (
    GATEWAY_SERIES,
    NODE_SERIES,
    RACK_SERIES,
    STATUSES,
    dependency_series,
    engine_series,
    read_dependency,
    read_engine,
    read_gateway,
)
from loadtest.emission.metric_wire import Number, Series
from loadtest.fleet.request import End

ALL = [
    *(engine_series("chat"), NODE_SERIES, RACK_SERIES, GATEWAY_SERIES),
    *(dependency_series(kind, "redis") for kind in ("cache", "vector", "queue")),
]


def named(series: list[Series], row: tuple[Number, ...]) -> dict[str, Number]:
    """Values by name and, where names repeat, by the attribute that tells them apart."""
    told = [f"{one.name} {[*one.attributes.values()][-1]}" if one.attributes else one.name for one in series]
    return dict(zip(told, row, strict=True))


def test_a_series_is_told_by_its_name_and_its_attributes() -> None:
    for series in ALL:
        assert len({(one.name, *one.attributes.items()) for one in series}) == len(series)


def test_a_name_has_one_unit_and_one_kind() -> None:
    kinds: dict[str, set[tuple[str, str, bool]]] = {}
    for one in (one for series in ALL for one in series):
        kinds.setdefault(one.name, set()).add((one.unit, one.kind, one.is_integer))
    assert {name: found for name, found in kinds.items() if len(found) > 1} == {}


def test_an_engine_tells_what_vllm_tells() -> None:
    finished = {"stop": 5, "length": 6, "abort": 7, "error": 8}
    engine = SimpleNamespace(
        running=1,
        waiting_count=2,
        kv_usage=0.5,
        kv=SimpleNamespace(queries=30, hits=4),
        preemptions=9,
        prompt_tokens_total=10,
        generation_tokens_total=11.9,
        finished=finished,
        admission_rejections=12,
    )
    told = named(engine_series("chat"), read_engine(engine))
    assert list(told.values()) == [1, 2, 0.5, 30, 4, 9, 10, 11, 5, 6, 7, 8, 12]
    assert told["vllm:request_success abort"] == 7
    assert told["vllm:admission_rejections max_num_queued_reqs"] == 12


def test_a_gateway_counts_requests_by_status_but_none_that_never_connected() -> None:
    ends = dict.fromkeys(End, 0) | {End.QUEUE_FULL: 2, End.RATE_LIMITED: 3, End.COMPLETED: 40, End.NEVER_CONNECTED: 9}
    gateway = SimpleNamespace(
        in_flight=1,
        queued=2,
        fds_used=50,
        fd_limit=100,
        retries_total=3,
        rate_limited_total=3,
        refused_total=2,
        ends=ends,
        open_breakers=1,
    )
    told = named(GATEWAY_SERIES, read_gateway(gateway))
    by_status = {status: told[f"litellm_proxy_total_requests_metric {status}"] for status in STATUSES}
    assert {status: count for status, count in by_status.items() if count} == {200: 40, 429: 5}
    assert (told["process.unix.file_descriptor.count"], told["gateway.breakers.open"]) == (50, 1)


def test_a_dependency_tells_seconds() -> None:
    dependency = SimpleNamespace(calls_total=7, failures_total=1, last_latency_ms=12.5)
    assert read_dependency(dependency) == (0.0125, 7, 1)
    names = {one.name.split(".")[0] for one in dependency_series("queue", "kafka")}
    assert names == {"messaging"}


def test_before_the_first_answer_a_dependency_tells_nothing_instead_of_zero() -> None:
    assert read_dependency(SimpleNamespace(calls_total=2, failures_total=0, last_latency_ms=None)) is None
