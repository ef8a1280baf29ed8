from dashboard.forms import (
    expiry_field,
    form_texts,
    password_field,
    repeated_field,
    role_field,
    row_action,
    tenants_field,
)
from dashboard.wording import wording
from vocabulary.access import Role

SAY = wording("en")


def test_every_role_can_be_chosen_and_says_what_it_is_for() -> None:
    field = role_field(SAY, Role.VIEWER)
    assert [option["value"] for option in field["options"]] == list(Role)
    assert field["value"] == "viewer"
    assert "reads nothing" in field["options"][0]["text"]


def test_no_tenants_is_not_all_tenants() -> None:
    assert tenants_field(SAY, None)["value"] is None
    assert tenants_field(SAY, frozenset())["value"] == []
    assert tenants_field(SAY, frozenset({"b", "a"}))["value"] == ["a", "b"]


def test_a_token_ends_unless_somebody_says_never() -> None:
    field = expiry_field(SAY)
    assert field["value"] == "90"
    assert [option["value"] for option in field["options"]] == ["30", "90", "365", "date", "never"]


def test_password_managers_are_told_which_password_it_is() -> None:
    assert password_field("old", "Old", is_new=False)["autocomplete"] == "current-password"
    again = repeated_field("new", "Again")
    assert (again["same_as"], again["autocomplete"]) == ("new", "new-password")


def test_a_row_asks_before_it_changes_anything() -> None:
    action = row_action("Disable", "Disable ada?", "PATCH", "/api/v1/users/1", is_danger=True, is_disabled=True)
    assert (action["question"], action["fixed"], action["is_danger"]) == ("Disable ada?", {"is_disabled": True}, True)


def test_a_form_has_words_for_all_that_may_happen() -> None:
    assert set(form_texts(SAY)) == {"pending", "unreachable", "refused", "cancel", "unequal"}
