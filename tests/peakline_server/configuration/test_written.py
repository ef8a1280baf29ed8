"""YAML as it is written: the setting says which type is meant, not YAML."""

import pytest

from tests.peakline_server.configuration.conftest import Complain, Read


@pytest.mark.parametrize("text", ["0123", "no", "1:30", "2026-01-05", "1e6", "0x1f", "=", "<<"])
def test_text_stays_as_it_is_written(read: Read, text: str) -> None:
    (service,) = read(f"services: [{{service: {text}}}]").configuration.services
    assert service.service == text


def test_an_octal_number_is_no_number(complaints: Complain) -> None:
    assert complaints("server: {port: 0o17}") == ["1: server.port: a whole number is wanted here"]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("server:\n  port:\n", ["2: server.port: nothing is given; write a value, or take the line out"]),
        ("server:\n  port: null\n", ["2: server.port: nothing is given; write a value, or take the line out"]),
        ("server:\n  hosts: [a, ]\n", []),
        (
            "server:\n  hosts:\n  - a\n  -\n",
            ["4: server.hosts[1]: nothing is given; write a value, or take the line out"],
        ),
        (
            "server:\n  host: !secret x\n",
            ["2: server.host: tags such as `!secret` mean nothing here; quote the value where it is text"],
        ),
        (
            "server:\n  host: !!binary aGk=\n",
            ["2: server.host: tags such as `!secret` mean nothing here; quote the value where it is text"],
        ),
        ("services:\n- model: a\n  model: b\n", ["3: services[0]: 'model' stands here twice"]),
    ],
)
def test_what_cannot_be_meant_is_told_once(complaints: Complain, text: str, sentences: list[str]) -> None:
    assert complaints(text) == sentences


def test_a_value_that_is_written_once_can_be_used_twice(read: Read) -> None:
    text = "services:\n- {service: a, tiers: &tiers {core: 1%}}\n- {service: b, tiers: *tiers}\n"
    assert [one.tiers for one in read(text).configuration.services] == [{"core": 0.01}, {"core": 0.01}]
