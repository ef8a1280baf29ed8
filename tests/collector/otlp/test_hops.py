"""Rules that tell emitters, roles and inference hops apart."""

import pytest

from collector.otlp.hops import SpanFacts, hop_rules, judge
from vocabulary.roles import HopRole

SERVER, CLIENT = 2, 3
MANY = 600


def facts(scope: str = "", name: str = "", kind: int = 1, **more: object) -> SpanFacts:
    marks = more.pop("marks", ())
    assert isinstance(marks, tuple)
    fields: dict[str, object] = {"operation": "", "span_kind": "", "is_route": False, "override": ""} | more
    return SpanFacts(scope=scope, name=name, kind=kind, marks=frozenset(marks), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("scope", "emitter"),
    [
        ("vllm.tracing.otel", "vllm"),
        ("sglang server", "sglang"),
        ("litellm", "litellm"),
        ("envoyproxy/ai-gateway", "envoy_ai_gateway"),
        ("llm-d-inference-scheduler", "llm_d"),
        ("openinference.instrumentation.openai", "openinference"),
        ("somebody.else", "unknown"),
    ],
)
def test_a_scope_tells_the_emitter(scope: str, emitter: str) -> None:
    assert judge(facts(scope)).emitter == emitter


@pytest.mark.parametrize(
    ("mark", "emitter"),
    [
        ("litellm.", "litellm"),
        ("triton.", "triton"),
        ("vllm.backend_url", "vllm_router"),
        ("openinference.span.kind", "openinference"),
        ("gen_ai.latency.", "vllm"),
        ("gen_ai.", "otel_genai"),
    ],
)
def test_attributes_tell_the_emitter_where_the_scope_does_not(mark: str, emitter: str) -> None:
    assert judge(facts("app", marks=(mark,))).emitter == emitter


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("llm_d.pd_proxy.prefill", HopRole.PREFILL),
        ("llm_d.pd_proxy.decode", HopRole.DECODE),
        ("gateway.request", HopRole.ROUTER),
    ],
)
def test_disaggregated_legs_have_their_roles(name: str, role: HopRole) -> None:
    judged = judge(facts("llm_d", name))
    assert (judged.role, judged.is_inference) == (role, True)


@pytest.mark.parametrize(
    ("name", "role", "is_inference"),
    [
        ("unified Req 0a1b2c3d", HopRole.ENGINE, True),
        ("prefill Req 0a1b2c3d", HopRole.PREFILL, True),
        ("decode Req 0a1b2c3d", HopRole.DECODE, True),
        ("prefill_forward", HopRole.OTHER, False),
    ],
)
def test_of_sglang_only_the_root_span_is_a_hop(name: str, role: HopRole, is_inference: object) -> None:
    judged = judge(facts("sglang server", name))
    assert (judged.role, judged.is_inference, judged.is_engine) == (role, is_inference, True)


def test_an_inference_route_makes_a_server_span_a_gateway_hop() -> None:
    judged = judge(facts("opentelemetry.instrumentation.fastapi", "POST", SERVER, is_route=True))
    assert (judged.role, judged.is_inference) == (HopRole.GATEWAY, True)
    assert not judge(facts("opentelemetry.instrumentation.requests", "POST", CLIENT, is_route=True)).is_inference


def test_the_kind_tells_the_role_of_a_genai_span() -> None:
    assert judge(facts(kind=CLIENT, operation="chat")).role is HopRole.CLIENT
    assert judge(facts(kind=1, operation="chat")).role is HopRole.CLIENT
    assert judge(facts(kind=SERVER, operation="chat")).role is HopRole.GATEWAY


def test_every_rule_names_a_known_role() -> None:
    assert {rule.role for rule in hop_rules().rules} <= {*HopRole, "by_kind"}


def test_the_rules_ask_for_few_enough_attributes_to_fit_one_word() -> None:
    prefixes = {prefix for prefix, _ in hop_rules().prefixes}
    assert len(prefixes | hop_rules().has) <= 64
