from dataclasses import replace

import pytest

from access.web.access_rules import RULES as OWN
from access.web.oidc_settings import OidcSettings, OidcSettingsError
from access.web.routes import ProviderParts, in_front_of, routes
from access.web.settings import WebSettings
from tests.access.web.asking import Behind, MemoryGate, ask, bearer
from vocabulary.access import Role

SETTINGS = WebSettings(is_on=True, public_url="https://peakline.example")
PARTS = ProviderParts(
    OidcSettings("https://login.example", "peakline", default_role=Role.VIEWER, label="Example"), b"k" * 32, lambda: 0
)
STATE = {"principal": None, "session": None}


def test_every_route_has_a_rule_and_every_rule_a_route(gate: MemoryGate) -> None:
    found = {(method, route.path) for route in routes(gate, SETTINGS, PARTS) for method in route.methods or ()}
    ruled = {(method, rule.path) for rule in OWN for method in rule.methods}
    assert {pair for pair in found if pair[0] != "HEAD"} == ruled


def test_a_provider_needs_a_public_address(gate: MemoryGate) -> None:
    with pytest.raises(OidcSettingsError, match=r"server\.public_url"):
        routes(gate, replace(SETTINGS, public_url=""), PARTS)


def test_without_a_provider_or_with_access_off_there_are_no_ways_to_one(gate: MemoryGate) -> None:
    for found in (routes(gate, SETTINGS), routes(None, WebSettings(), PARTS)):
        assert not [route.path for route in found if "oidc" in route.path]


@pytest.mark.parametrize(("name", "kind"), [("style.css", "text/css"), ("logo.svg", "image/svg+xml")])
def test_the_files_of_the_page_are_served(gate: MemoryGate, behind: Behind, name: str, kind: str) -> None:
    answer = ask(in_front_of(behind, routes(gate, SETTINGS)), path=f"/login/{name}")
    assert answer.status == 200
    assert answer.header("content-type").startswith(kind)
    assert answer.body


@pytest.mark.parametrize("name", ["nosuch.css", "..", "en.json", "%2e%2e"])
def test_no_other_file_is(gate: MemoryGate, behind: Behind, name: str) -> None:
    assert ask(in_front_of(behind, routes(gate, SETTINGS)), path=f"/login/{name}").status == 404


def test_everything_else_reaches_the_application_as_it_is(gate: MemoryGate, behind: Behind) -> None:
    app = in_front_of(behind, routes(gate, SETTINGS))
    for path in ("/", "/requests", "/login/x/y", "/loginx", "/login/"):
        assert ask(app, path=path, headers=[bearer("x")], state=STATE).status == 200
    assert len(behind.reached) == 5
