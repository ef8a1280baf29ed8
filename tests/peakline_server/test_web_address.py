"""Addresses that people type."""

import click
import pytest

from peakline_server.web_address import web_address

OPTION = click.Option(["--server"])
CONTEXT = click.Context(click.Command("c"))


def test_an_address_with_a_scheme_is_taken_as_it_is() -> None:
    assert web_address(CONTEXT, OPTION, "http://127.0.0.1:8600") == "http://127.0.0.1:8600"


def test_without_a_scheme_the_whole_address_is_suggested() -> None:
    with pytest.raises(click.BadParameter, match=r"add http:// in front: http://127\.0\.0\.1:9600"):
        web_address(CONTEXT, OPTION, "127.0.0.1:9600")


@pytest.mark.parametrize("text", ["ftp://host", "http://"])
def test_another_scheme_or_no_host_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is no web address such as"):
        web_address(CONTEXT, OPTION, text)
