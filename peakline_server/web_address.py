"""Addresses of servers, as people type them."""

import click


def web_address(_context: click.Context, _option: click.Parameter, text: str) -> str:
    """The address of an option, if it has a scheme and a host.

    raises  click.BadParameter, exit code 2, with the address as it should be typed
    """
    scheme, found, rest = text.partition("://")
    if not found:
        message = f"{text!r} is no web address; add http:// in front: http://{text}"
        raise click.BadParameter(message)
    if scheme not in {"http", "https"} or not rest:
        message = f"{text!r} is no web address such as http://127.0.0.1:8600"
        raise click.BadParameter(message)
    return text
