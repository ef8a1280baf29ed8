"""Events that are about a request."""

from simpy.events import Event

from loadtest.fleet.request import Request


def carried(event: Event) -> Request:
    """The request that an event is about."""
    request = event.value
    assert isinstance(request, Request)
    return request
