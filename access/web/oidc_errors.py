"""What can go wrong at an identity provider, by what the person is told."""

from enum import StrEnum

from vocabulary.errors import PeaklineError


class Trouble(StrEnum):
    """Its text is `log_in.<trouble>`.

    provider_failed   no answer, or one that is not to be believed
    provider_denied   the provider says no
    provider_stale    this browser has no such log-in under way
    provider_refused  the provider knows the person, we have no role for them
    """

    FAILED = "provider_failed"
    DENIED = "provider_denied"
    STALE = "provider_stale"
    REFUSED = "provider_refused"


class OidcError(PeaklineError):
    """A log-in through the provider that did not succeed; the message is for the log and holds no secret."""

    def __init__(self, message: str, trouble: Trouble = Trouble.FAILED) -> None:
        super().__init__(message)
        self.trouble = trouble
