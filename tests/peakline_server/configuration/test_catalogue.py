"""Every setting is described, has a variable of its own, and is shown as it is written."""

import re
from datetime import timedelta

import pytest
from pydantic import SecretStr

from peakline_server.configuration.catalogue import by_path, configured, plain, sections, settings, shown, value_at
from peakline_server.configuration.kinds import DatabaseUrl
from peakline_server.configuration.parts import Configuration
from peakline_server.configuration.services import Service


def test_every_setting_has_a_sentence_and_a_kind() -> None:
    for one in settings():
        assert re.fullmatch(r"[A-Z].*\.", one.sentence), one.name
        assert one.kind, one.name


def test_every_setting_without_a_default_has_an_example() -> None:
    bare = [one.name for one in settings() if one.default in (None, (), {}) and not one.example]
    assert bare == ["services"]


def test_durations_sizes_ports_and_counts_have_units() -> None:
    kinds = {"duration", "size", "whole number"}
    assert not [one.name for one in settings() if (one.kind in kinds) != bool(one.unit)]


def test_variables_follow_from_names_and_are_told_apart() -> None:
    assert by_path()["access", "oidc", "client_secret"].variable == "PEAKLINE_ACCESS_OIDC_CLIENT_SECRET"
    names = [name for one in settings() for name in (one.variable, f"{one.variable}_FILE")[: 1 + one.is_secret]]
    assert len(names) == len(set(names))


def test_every_password_is_a_secret_and_may_be_in_a_file() -> None:
    secrets = {one.name for one in settings() if one.is_secret}
    assert secrets == {
        *("server.tls.key_password", "store.telemetry_url", "store.control_url", "access.oidc.client_secret"),
    }
    assert "key_password_file" in sections()["server", "tls"]
    assert "certificate_file_file" not in sections()["server", "tls"]


def test_defaults_are_values_that_can_be_read_as_they_are_shown() -> None:
    for one in settings():
        written = one.shown(one.default)
        if written and not one.is_many:
            assert one.adapter.validate_python(written) == one.default, one.name


def test_a_configuration_holds_what_it_is_given_and_defaults_for_the_rest() -> None:
    whole = configured({("server", "port"): 9, ("access", "oidc", "label"): "x"})
    assert value_at(whole, ("server", "port")) == 9
    assert whole.access.oidc.label == "x"
    assert configured({}) == Configuration()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        ((), ""),
        (True, "true"),
        (5, "5"),
        (timedelta(hours=2), "2h"),
        (("a", "b"), '["a", "b"]'),
        (SecretStr("hunter2"), "set"),
        (DatabaseUrl("postgres://u:hunter2@h/d"), "postgres://h/d"),
    ],
)
def test_values_are_shown_as_people_write_them(value: object, text: str) -> None:
    assert shown(value) == text


def test_what_a_definition_leaves_out_is_not_shown() -> None:
    assert plain((Service(service="chat"),)) == [{"service": "chat"}]
