"""What is a mistake in a single setting, and that parts refuse what they do not know."""

import pytest
from pydantic import TypeAdapter, ValidationError

from peakline_server.configuration.parts import CONTROL_KINDS, TELEMETRY_KINDS, ControlUrl, Server, Tls
from store.control.open import KINDS as CONTROL
from store.telemetry.open import KINDS as TELEMETRY


def test_the_kinds_of_database_are_those_of_the_stores() -> None:
    assert sorted(CONTROL_KINDS) == sorted(CONTROL)
    assert sorted(TELEMETRY_KINDS) == sorted(TELEMETRY)


def test_a_database_of_another_kind_is_refused_without_repeating_it() -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(ControlUrl).validate_python("mysql://me:hunter2@db/x")
    (fault,) = caught.value.errors(include_input=False)
    assert "this is no database URL that can be used; write postgresql+psycopg://" in fault["msg"]
    assert "hunter2" not in str(fault)


def test_parts_cannot_be_changed_and_refuse_unknown_keys_without_repeating_values() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Server().port = 1
    with pytest.raises(ValidationError) as caught:
        Tls.model_validate({"keypassword": "hunter2"})
    assert "hunter2" not in str(caught.value)


def test_a_secret_is_not_part_of_a_representation() -> None:
    assert "hunter2" not in repr(Tls.model_validate({"key_password": "hunter2"}))
