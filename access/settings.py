"""What can be configured about sessions and log-in."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ThrottleSettings:
    """How many failed log-ins are answered before somebody has to wait. Log-ins that succeed do not count.

    window_s          a failure is forgotten after so many seconds
    attempts          failures of one name from one address
    address_attempts  failures from one address, whatever the names; one IPv6 network of 64 bits is one address
    name_attempts     failures of one name from all addresses that it never logged in from
    """

    window_s: int = 300
    attempts: int = 10
    address_attempts: int = 50
    name_attempts: int = 100


@dataclass(frozen=True, slots=True)
class AccessSettings:
    """How long sessions last and how often log-in may fail.

    session_idle_s      a session ends after so many seconds without a request, at most a minute or a quarter sooner
    session_lifetime_s  a session ends so many seconds after its log-in, whatever is done in it
    sessions_max        open sessions of one user; a further log-in ends the oldest
    throttle            limits on failed log-ins
    """

    session_idle_s: int = 7200
    session_lifetime_s: int = 43_200
    sessions_max: int = 20
    throttle: ThrottleSettings = field(default_factory=ThrottleSettings)
