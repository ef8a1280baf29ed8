import pytest
from starlette.responses import HTMLResponse, Response

from tests.access.web.asking import Answer, Behind, MemoryGate, ask, bearer, layer

ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}


def _holds(answer: Answer) -> bool:
    return all(answer.header(name) == value for name, value in ALWAYS.items())


@pytest.mark.parametrize(
    ("method", "path", "token", "status"),
    [
        ("GET", "/api/v1/me", "pkl_viewer", 200),
        ("GET", "/api/v1/me", "pkl_nobody", 401),
        ("GET", "/api/v1/tokens", "pkl_viewer", 403),
        ("POST", "/v1/traces", "pkl_nobody", 401),
        ("GET", "/healthz", "", 200),
    ],
)
def test_every_answer_has_them(
    gate: MemoryGate, behind: Behind, method: str, path: str, token: str, status: int
) -> None:
    answer = ask(layer(gate, behind), method, path, [bearer(token)])
    assert answer.status == status
    assert _holds(answer)
    assert "camera=()" in answer.header("permissions-policy")


def test_a_server_that_answers_nobody_else_has_them_too(behind: Behind) -> None:
    assert _holds(ask(layer(None, behind), client="10.0.0.7"))


def test_what_an_answer_says_itself_is_kept_and_not_doubled(gate: MemoryGate) -> None:
    own = Response(
        "x", headers={"X-Frame-Options": "SAMEORIGIN", "Cache-Control": "public", "Content-Security-Policy": "a"}
    )
    answer = ask(layer(gate, own), "GET", "/api/v1/me", [bearer("pkl_viewer")])
    assert answer.header("x-frame-options") == "SAMEORIGIN"
    assert answer.header("cache-control") == "public"
    assert answer.header("content-security-policy") == "a"


def test_what_somebody_is_told_stays_out_of_caches(gate: MemoryGate, behind: Behind) -> None:
    assert ask(layer(gate, behind), "GET", "/api/v1/me", [bearer("pkl_viewer")]).header("cache-control") == "no-store"
    assert ask(layer(gate, behind), "GET", "/api/v1/me").header("cache-control") == "no-store"
    assert ask(layer(gate, behind), "GET", "/healthz").header("cache-control") == ""


def test_a_page_without_a_policy_may_use_our_own_files_only(gate: MemoryGate) -> None:
    answer = ask(layer(gate, HTMLResponse("x")), "GET", "/api/v1/me", [bearer("pkl_viewer")])
    assert answer.header("content-security-policy").startswith("default-src 'self'; object-src 'none'")
    assert "unsafe" not in answer.header("content-security-policy")


def test_https_is_demanded_for_the_future_where_it_is_spoken(gate: MemoryGate, behind: Behind) -> None:
    assert ask(layer(gate, behind)).header("strict-transport-security") == ""
    assert ask(layer(gate, behind), scheme="https").header("strict-transport-security") == "max-age=31536000"
    public = layer(gate, behind, public_url="https://peakline.example")
    assert ask(public).header("strict-transport-security") == "max-age=31536000"
