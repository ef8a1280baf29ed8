from peakline_server.doctor_finding import Finding, State, ok, problem, skipped, warning
from tests.peakline_server.examined_place import place


def test_a_finding_has_the_state_that_it_is_made_with() -> None:
    assert ok("a", "Fine.") == Finding("a", State.OK, "Fine.")
    assert problem("a", "Broken.", "Mend it.") == Finding("a", State.PROBLEM, "Broken.", "Mend it.")
    assert warning("a", "Odd.").state is State.WARNING
    assert skipped("a", "Dark.").state is State.SKIPPED


def test_a_password_of_a_database_is_in_no_representation() -> None:
    assert "planted" not in repr(place(control="postgresql+psycopg://u:planted@h/db"))
