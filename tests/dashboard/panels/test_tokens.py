from dashboard.panels.tokens import token_form, token_table
from dashboard.view import View
from tests.dashboard.looking import NoReader, house_of, of_type, view_of, words
from tests.dashboard.people import ADA, DAY_NS, OTTO, token
from tests.dashboard.scenery import NOW_NS
from vocabulary.access import Principal, Role

TOKENS = [
    token("gateway", "aaaaaaaaaaaa", expires_ns=NOW_NS + DAY_NS, last_used_ns=NOW_NS),
    token("team", "bbbbbbbbbbbb", Role.VIEWER, tenants=frozenset({"a"}), revoked_ns=NOW_NS - 1),
    token("old", "cccccccccccc", expires_ns=NOW_NS - 1),
]


def seen_by(principal: Principal) -> View:
    return view_of("/settings", house_of(NoReader(), principal=principal))


def test_every_token_tells_its_state_and_an_end() -> None:
    shown = words(token_table(seen_by(OTTO), TOKENS))
    assert "gateway aaaaaaaaaaaa ingest all tenants active 2026-11-30 13:00 UTC 2026-12-01 13:00 UTC" in shown
    assert "team bbbbbbbbbbbb viewer a revoked never never" in shown
    assert "old cccccccccccc ingest all tenants expired" in shown


def test_an_admin_may_revoke_what_still_lets_somebody_in() -> None:
    rows = token_table(seen_by(ADA), TOKENS).rows
    actions = [row["cells"][-1]["actions"] for row in rows]
    assert [len(found) for found in actions] == [1, 0, 0]
    assert (actions[0][0]["method"], actions[0][0]["path"]) == ("DELETE", "/api/v1/tokens/aaaaaaaaaaaa")
    assert "“gateway”" in actions[0][0]["question"]


def test_an_auditor_has_no_button() -> None:
    table = token_table(seen_by(OTTO), TOKENS)
    assert not [cell for row in table.rows for cell in row["cells"] if "actions" in cell]
    assert "Actions" not in words(table)


def test_the_form_asks_the_api_for_what_it_takes_and_shows_the_text_once() -> None:
    (form,) = of_type(token_form(seen_by(ADA)), "ApiForm")
    assert (form.method, form.path) == ("POST", "/api/v1/tokens")
    assert [field["name"] for field in form.fields] == ["name", "role", "tenants", "expires"]
    assert "never shown again" in form.reveal["once"]
