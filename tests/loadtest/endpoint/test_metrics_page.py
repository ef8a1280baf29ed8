from collections.abc import Iterator

import pytest
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from loadtest.endpoint.plans import DEFAULT_MODEL, default_plan
from loadtest.endpoint.request_record import HISTOGRAMS
from tests.factories.real_data import real_file
from tests.loadtest.endpoint.running import Endpoint, running

NEWER = {"vllm:admission_rejections"}
"""Names that came after the version of the recorded page."""


def families(text: str) -> dict[str, Metric]:
    return {family.name: family for family in text_string_to_metric_families(text)}


@pytest.fixture(scope="module")
def busy() -> Iterator[Endpoint]:
    """One that has answered five requests, one of them cut."""
    with running() as endpoint:
        for number in range(4):
            assert endpoint.chat(f"question {number}", temperature=0).status_code == 200
        assert endpoint.chat(max_tokens=2, ignore_eos=True).status_code == 200
        yield endpoint


@pytest.fixture
def page(busy: Endpoint) -> dict[str, Metric]:
    response = busy.client.get("/metrics")
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
    return families(response.text)


def total(family: Metric, suffix: str = "_total", **labels: str) -> float:
    return sum(
        sample.value
        for sample in family.samples
        if sample.name == family.name + suffix and labels.items() <= sample.labels.items()
    )


def test_finished_requests_are_counted_by_reason(page: dict[str, Metric]) -> None:
    success = page["vllm:request_success"]
    assert total(success, finished_reason="length") == 1
    assert total(success, finished_reason="stop") == 4
    assert {sample.labels["engine"] for sample in success.samples} == {"0", "1"}
    assert {sample.labels["model_name"] for sample in success.samples} == {DEFAULT_MODEL}


def test_every_histogram_has_all_five(page: dict[str, Metric]) -> None:
    for name in HISTOGRAMS:
        expected = total(page["vllm:generation_tokens"]) - 5 if name == "inter_token_latency_seconds" else 5
        assert total(page[f"vllm:{name}"], "_count") == pytest.approx(expected), name


def test_tokens_agree_between_counters_and_histograms(page: dict[str, Metric]) -> None:
    assert total(page["vllm:prompt_tokens"]) == total(page["vllm:request_prompt_tokens"], "_sum")
    generated = total(page["vllm:request_generation_tokens"], "_sum")
    assert total(page["vllm:generation_tokens"]) == pytest.approx(generated)


def test_an_idle_cluster_runs_nothing(page: dict[str, Metric]) -> None:
    for name in ("num_requests_running", "num_requests_waiting", "kv_cache_usage_perc"):
        assert total(page[f"vllm:{name}"], "") == 0.0


def test_the_cache_tells_its_size(page: dict[str, Metric]) -> None:
    engine = default_plan().models[0].engine
    info = page["vllm:cache_config_info"].samples[0]
    assert info.value == 1.0
    assert info.labels["kv_cache_size_tokens"] == str(engine.kv_tokens)
    assert int(info.labels["num_gpu_blocks"]) * int(info.labels["block_size"]) == engine.kv_tokens


def test_names_types_labels_and_bounds_are_those_of_a_recorded_page(page: dict[str, Metric]) -> None:
    real = families(real_file("vllm-fixtures", "metrics_vllm_0_25_1_loaded.txt").read_text())
    ours = {name: family for name, family in page.items() if name not in NEWER and not name.endswith("_created")}
    assert set(ours) <= set(real)
    for name, family in ours.items():
        assert family.type == real[name].type, name
        if name == "vllm:cache_config_info":
            assert set(family.samples[0].labels) - {"model_name"} <= set(real[name].samples[0].labels)
            continue
        assert {frozenset(sample.labels) for sample in family.samples} <= {
            frozenset(sample.labels) for sample in real[name].samples
        }, name
        if family.type == "histogram" and "tokens" not in name:
            assert _bounds(family) == _bounds(real[name]), name


def _bounds(family: Metric) -> set[str]:
    return {sample.labels["le"] for sample in family.samples if "le" in sample.labels}
