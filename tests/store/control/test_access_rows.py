import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError, OperationalError

from store.control.access_rows import access_transaction, packed
from store.control.open import Control
from vocabulary.errors import StoreUnavailableError


def test_tenants_are_stored_in_one_order_and_none_is_not_nobody() -> None:
    assert packed(frozenset({"b", "a", "租"})) == '["a", "b", "租"]'
    assert packed(frozenset()) == "[]"
    assert packed(None) is None


def test_a_database_that_cannot_be_used_is_said_without_its_address(control: Control) -> None:
    with pytest.raises(StoreUnavailableError) as refusal, access_transaction(control.engine) as connection:
        connection.execute(text("SELECT * FROM nowhere"))
    assert not refusal.value.permanent
    assert "nowhere" not in str(refusal.value)
    assert isinstance(refusal.value.__cause__, OperationalError)


def test_what_a_program_did_wrong_stays_an_error_and_nothing_is_half_done(any_control: Control) -> None:
    insert = text("INSERT INTO rollup_builds VALUES (1, 1, 1, 1)")

    def insert_twice() -> None:
        with access_transaction(any_control.engine) as connection:
            connection.execute(insert)
            connection.execute(insert)

    with pytest.raises(IntegrityError):
        insert_twice()
    assert any_control.builds.last().build == 0
