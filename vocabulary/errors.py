"""The one error family of the server distribution."""


class PeaklineError(Exception):
    """Something went wrong in a way a person or a sender can act on.

    permanent   True when the same input would fail again; edges answer 400 or exit code 2 then,
                and 503 with Retry-After otherwise
    """

    permanent: bool = True


class StoreUnavailableError(PeaklineError):
    """The store cannot take or give rows at the moment; trying again later may work."""

    permanent = False


class RefusedReadError(PeaklineError):
    """A read was refused before it ran because it names no bound or too wide a bound."""
