"""Log-in through an identity provider: there, and back."""

import logging
from dataclasses import dataclass
from hmac import compare_digest

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from access.web.cookies import Cookie, cookie_name, cookie_value, drop_cookie, set_cookie
from access.web.log_in import Door
from access.web.next_path import HOME, safe_next
from access.web.oidc_errors import OidcError, Trouble
from access.web.oidc_provider import OidcProvider
from access.web.oidc_settings import OidcSettingsError
from access.web.oidc_ticket import TICKET_MAX_S, Ticket, TicketBox, new_ticket

CALLBACK = "/login/oidc/callback"
_CODE_MAX = 4096
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OidcDoor:
    """The two routes of the provider.

    raises  OidcSettingsError when no public address is configured: the provider could not send anybody back
    """

    door: Door
    provider: OidcProvider
    box: TicketBox

    def __post_init__(self) -> None:
        if not self.door.settings.public_url:
            raise OidcSettingsError(
                "Log-in through an identity provider needs server.public_url: the provider sends browsers back there."
            )

    @property
    def redirect_uri(self) -> str:
        """From the configuration, never from a header."""
        return self.door.settings.public_url.rstrip("/") + CALLBACK

    async def start(self, request: Request) -> Response:
        """Send the browser to the provider, with a sealed note of what must come back."""
        ticket = new_ticket(safe_next(request.query_params.get("next", HOME)))
        try:
            address = await self.provider.authorization_address(ticket, self.redirect_uri)
        except OidcError as problem:
            return self._failed(problem, ticket.next)
        response = RedirectResponse(address, 303, {"Cache-Control": "no-store"})
        sealed = self.box.seal(ticket)
        set_cookie(response, Cookie.OIDC, sealed, TICKET_MAX_S, is_secure=self.door.settings.is_secure)
        return response

    async def come_back(self, request: Request) -> Response:
        """Open a session for whoever the provider sends back, if this browser started it."""
        name = cookie_name(Cookie.OIDC, is_secure=self.door.settings.is_secure)
        ticket = self.box.open(cookie_value(request.scope, name))
        try:
            code = self._code(request.query_params, ticket)
            assert ticket is not None, "_code refuses without a ticket"
            identity = await self.provider.identity(code, ticket, self.redirect_uri)
        except OidcError as problem:
            return self._failed(problem, ticket.next if ticket else HOME)
        response = await self.door.let_in_external(request, identity, ticket.next)
        drop_cookie(response, Cookie.OIDC, is_secure=self.door.settings.is_secure)
        return response

    def _code(self, query: QueryParams, ticket: Ticket | None) -> str:
        """The code of the answer, if it answers what this browser asked.

        raises  OidcError
        """
        single = {name: value for name, value in query.items() if len(query.getlist(name)) == 1}
        if ticket is None or not compare_digest(single.get("state", "").encode(), ticket.state.encode()):
            raise OidcError("an answer of the provider that this browser did not ask for", Trouble.STALE)
        if single.get("iss", self.provider.settings.issuer) != self.provider.settings.issuer:
            raise OidcError("an answer that names another issuer")
        if "error" in query:
            said = "".join(sign for sign in query["error"][:100] if sign.isprintable())
            raise OidcError(f"the provider says {said}", Trouble.DENIED if said == "access_denied" else Trouble.FAILED)
        code = single.get("code", "")
        if not 0 < len(code) <= _CODE_MAX:
            raise OidcError("an answer of the provider without a code")
        return code

    def _failed(self, problem: OidcError, next_path: str) -> Response:
        log.warning("log-in through %s failed: %s", self.provider.settings.issuer, problem)
        response = self.door.back_to_log_in(problem.trouble, next_path)
        drop_cookie(response, Cookie.OIDC, is_secure=self.door.settings.is_secure)
        return response
