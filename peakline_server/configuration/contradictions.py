"""Settings that are each right and wrong together."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from peakline_server.configuration.parts import Configuration
from peakline_server.settings import PUBLIC_BIND, Role, is_loopback


@dataclass(frozen=True, slots=True)
class Contradiction:
    """What is wrong.

    names  the settings that it is about, the one to change first
    inner  steps to the part of the first one's value
    """

    names: tuple[str, ...]
    reason: str
    inner: tuple[str | int, ...] = ()


def contradictions(whole: Configuration) -> Iterator[Contradiction]:
    """Everything that does not go together."""
    for check in CHECKS:
        yield from check(whole)


def _public_bind(whole: Configuration) -> Iterator[Contradiction]:
    if not whole.access.enabled and not is_loopback(whole.server.host):
        reason = PUBLIC_BIND.format(host=whole.server.host)
        yield Contradiction(("server.host", "access.enabled"), reason)


def _ports(whole: Configuration) -> Iterator[Contradiction]:
    names = ("port", "otlp_http_port", "otlp_grpc_port")
    ports = {name: getattr(whole.server, name) for name in names}
    for index, name in enumerate(names):
        for earlier in names[:index]:
            if ports[name] and ports[name] == ports[earlier]:
                reason = f"server.{earlier} is {ports[name]} too; each needs a port of its own"
                yield Contradiction((f"server.{name}", f"server.{earlier}"), reason)
    if not ports["port"] and not ports["otlp_http_port"]:
        yield Contradiction(("server.port", "server.otlp_http_port"), "with both ports 0 nothing would listen")


def _role(whole: Configuration) -> Iterator[Contradiction]:
    if whole.server.role is not Role.ALL and not (whole.store.telemetry_url and whole.store.control_url):
        reason = (
            f"the role {whole.server.role} needs stores that several processes can share: give store.telemetry_url and "
            "store.control_url (--store and --control), or run one process with --role all"
        )
        yield Contradiction(("server.role", "store.telemetry_url", "store.control_url"), reason)


def _tls(whole: Configuration) -> Iterator[Contradiction]:
    tls = whole.server.tls
    if tls.certificate_file and not tls.key_file:
        yield _lacks("server.tls.certificate_file", "server.tls.key_file")
    for name in ("key_file", "client_ca_file"):
        if getattr(tls, name) and not tls.certificate_file:
            yield _lacks(f"server.tls.{name}", "server.tls.certificate_file")
    if tls.key_password and not tls.key_file:
        yield _lacks("server.tls.key_password", "server.tls.key_file")
    if tls.require_client_certificate and not tls.client_ca_file:
        yield _lacks("server.tls.require_client_certificate", "server.tls.client_ca_file")
    if tls.certificate_file and whole.server.public_url and not whole.server.public_url.startswith("https://"):
        reason = "the listeners speak https with server.tls.certificate_file, so this must start with https://"
        yield Contradiction(("server.public_url", "server.tls.certificate_file"), reason)


def _sessions(whole: Configuration) -> Iterator[Contradiction]:
    if whole.access.session_idle > whole.access.session_lifetime:
        reason = "this is longer than access.session_lifetime, so it would never end a session"
        yield Contradiction(("access.session_idle", "access.session_lifetime"), reason)


def _oidc(whole: Configuration) -> Iterator[Contradiction]:
    oidc = whole.access.oidc
    told = [name for name in type(oidc).model_fields if getattr(oidc, name) != type(oidc).model_fields[name].default]
    if not oidc.issuer:
        if told:
            yield _lacks(f"access.oidc.{told[0]}", "access.oidc.issuer")
        return
    if not whole.access.enabled:
        yield Contradiction(
            ("access.oidc.issuer", "access.enabled"), "nobody is asked to log in as long as access.enabled is false"
        )
    if not oidc.client_id:
        yield _lacks("access.oidc.issuer", "access.oidc.client_id")
    if not whole.server.public_url:
        yield _lacks("access.oidc.issuer", "server.public_url")
    if not oidc.roles and not oidc.default_role:
        reason = "nobody would have a role: give access.oidc.roles or access.oidc.default_role"
        yield Contradiction(("access.oidc.issuer", "access.oidc.roles", "access.oidc.default_role"), reason)
    if not is_private(oidc.issuer):
        yield Contradiction(("access.oidc.issuer",), "this must start with https://, for secrets travel there")
    if "openid" not in oidc.scopes:
        yield Contradiction(("access.oidc.scopes",), "`openid` must be among them")


def is_private(address: str) -> bool:
    """Whether nobody on the way can read along."""
    parts = urlsplit(address)
    return parts.scheme == "https" or is_loopback(parts.hostname or "")


def _services(whole: Configuration) -> Iterator[Contradiction]:
    seen: dict[tuple[str, str], int] = {}
    for index, one in enumerate(whole.services):
        first = seen.setdefault((one.service, one.model), index)
        if first != index:
            reason = f"services[{first}] is about the same service and model; make one of them"
            yield Contradiction(("services",), reason, (index,))
        for objectives in (one.objectives, *one.objectives.tiers.values()):
            if objectives.ttft and objectives.e2e and objectives.ttft > objectives.e2e:
                reason = "the first token cannot come later than the end: ttft is longer than e2e"
                yield Contradiction(("services",), reason, (index, "objectives"))


def _lacks(name: str, other: str) -> Contradiction:
    return Contradiction((name, other), f"needs {other} too")


CHECKS: Final[tuple[Callable[[Configuration], Iterator[Contradiction]], ...]] = (
    _public_bind,
    _ports,
    _role,
    _tls,
    _sessions,
    _oidc,
    _services,
)
