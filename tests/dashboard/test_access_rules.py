import pytest
from fastapi import FastAPI
from starlette.routing import Mount

from dashboard.access_rules import PUBLIC, RULES
from dashboard.app import mount_dashboard
from tests.dashboard.looking import NoReader, house_of
from vocabulary.access import Permission, Rule


@pytest.fixture(scope="module")
def registered() -> set[tuple[str, str]]:
    """Method and path of every route that the dashboard adds."""
    app = FastAPI(docs_url=None, openapi_url=None, redoc_url=None)
    mount_dashboard(app, lambda _: house_of(NoReader()))
    found = set()
    for route in app.routes:
        is_folder = isinstance(route, Mount)
        methods = {"GET"} if is_folder else getattr(route, "methods", None) or {"WEBSOCKET"}
        path = getattr(route, "path", "")
        found |= {(method, f"{path}/{{path:path}}" if is_folder else path) for method in methods - {"HEAD"}}
    return found


def test_every_route_has_one_rule_and_every_rule_its_route(registered: set[tuple[str, str]]) -> None:
    written = [(method, rule.path) for rule in RULES for method in rule.methods]
    assert len(written) == len(set(written))
    assert set(written) == registered


def rule(path: str) -> Rule:
    return next(one for one in RULES if one.path == path)


def test_static_assets_alone_are_public() -> None:
    assert {one.path.split("/")[1] for one in RULES if one.is_public} == {"assets", "_dash-component-suites"}
    assert "/assets" in PUBLIC


def test_pages_need_read_and_settings_are_for_everybody() -> None:
    reads = frozenset({Permission.READ})
    assert {rule(path).needs for path in ("/", "/requests/{request_key}", "/alerts", "/{path:path}")} == {reads}
    assert rule("/settings") == Rule(frozenset({"GET"}), "/settings")
    assert rule("/_dash-update-component").needs == frozenset()
