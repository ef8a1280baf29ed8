"""Where the parts of a value stand."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from peakline_server.configuration.catalogue import by_path
from peakline_server.configuration.given import DEFAULT, Given, Origin, Source, mistake, told_path

SERVICES = by_path()["services",]


def test_a_part_stands_where_it_stands_or_where_what_is_around_it_stands() -> None:
    outer, entry = Origin(Source.FILE, "f:1", 1), Origin(Source.FILE, "f:2", 2)
    given = Given(SERVICES, [], outer, Path(), {(0,): entry})
    assert given.at((0, "model")) == entry
    assert given.at((1, "model")) == outer


def test_mistakes_inside_a_variable_are_told_by_their_steps() -> None:
    given = Given(
        SERVICES, [{"prices": {"input_per_million": "x"}}], Origin(Source.ENVIRONMENT, "PEAKLINE_SERVICES"), Path()
    )
    with pytest.raises(ValidationError) as caught:
        given.read()
    sentences = {str(one) for one in given.mistakes(caught.value)}
    assert "PEAKLINE_SERVICES: [0].prices: 'output_per_million' is missing" in sentences


def test_a_place_that_is_spoilt_already_is_not_complained_about_again() -> None:
    value = [{"service": ""}]
    given = Given(SERVICES, value, DEFAULT, Path(), {(0, "service"): DEFAULT}, frozenset({(0, "service")}))
    with pytest.raises(ValidationError) as caught:
        given.read()
    assert list(given.mistakes(caught.value)) == []


def test_a_file_names_the_setting_and_a_variable_is_its_name() -> None:
    path = ("server", "port")
    assert str(mistake(Origin(Source.FILE, "f:3", 3), path, "x")) == "f:3: server.port: x"
    assert str(mistake(Origin(Source.OPTION, "--port"), path, "x")) == "--port: x"
    assert str(mistake(DEFAULT, path, "x")) == "server.port: x"
    assert str(DEFAULT) == "default"
    assert told_path(("services",), (0, "tiers", "core")) == "services[0].tiers.core"
