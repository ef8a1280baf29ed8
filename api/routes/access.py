"""Who is asking, and the administration of tokens and users."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from msgspec import UNSET

from api.access_wire import me_item, setting_item, token_item, user_item
from api.answer import Answer
from api.bodies import body_of, documented
from api.house import AccessAdministration, ApiHouse
from api.principal import caller
from api.problems import AccessOffError, BadBodyError, NotFoundError
from api.shapes.access import (
    CreatedToken,
    MeItem,
    NewToken,
    NewUser,
    PasswordChange,
    SettingList,
    TokenItem,
    TokenList,
    UserChange,
    UserItem,
    UserList,
)
from api.times import BadTimeError, time_ns
from store.control.access_records import StoredUser
from vocabulary.access import PrincipalKind, Role
from vocabulary.errors import PeaklineError
from vocabulary.pools import SECOND_NS

ROLES = ", ".join(Role)
OK, CREATED, NO_CONTENT = 200, 201, 204
ME, TOKENS, USERS = "/api/v1/me", "/api/v1/tokens", "/api/v1/users"
NewTokenBody = Annotated[NewToken, Depends(body_of(NewToken, role=ROLES))]
NewUserBody = Annotated[NewUser, Depends(body_of(NewUser, role=ROLES))]
UserChangeBody = Annotated[UserChange, Depends(body_of(UserChange, role=ROLES))]
PasswordBody = Annotated[PasswordChange, Depends(body_of(PasswordChange))]


class NoPasswordError(PeaklineError):
    """The caller has none that Peakline keeps."""


@dataclass(frozen=True, slots=True)
class AccessRoutes:
    """One path to authority: pages and commands that change tokens and users come through here."""

    house: ApiHouse

    def me(self, request: Request) -> Response:
        """Who the caller is: name, role, what it grants, tenants, and when the session ends."""
        return Answer(me_item(caller(request), session_ends_ns(request, self.house.clock_ns())))

    def change_own_password(self, request: Request, wanted: PasswordBody) -> Response:
        """Change the caller's own password; every open session of theirs ends."""
        principal, address = caller(request), request.client.host if request.client else ""
        administration = self._administration()
        if principal.kind is not PrincipalKind.USER:
            raise NoPasswordError("Only somebody who logged in has a password; this request came with a token.")
        administration.change_own_password(principal.id, wanted.old, wanted.new, address)
        return Response(status_code=NO_CONTENT)

    def tokens(self) -> Response:
        """All API tokens, newest first, ended ones included; without their secrets."""
        now_ns = self.house.clock_ns()
        return Answer(TokenList([token_item(token, now_ns) for token in self._administration().tokens()]))

    def create_token(self, request: Request, wanted: NewTokenBody) -> Response:
        """Make an API token. Its text is in this answer and nowhere else."""
        token, text = self._administration().create_token(
            wanted.name, wanted.role, wanted.tenants, self._expires_ns(wanted.expires), caller(request).name
        )
        return Answer(CreatedToken(token_item(token, self.house.clock_ns()), text), CREATED)

    def revoke_token(self, request: Request, token_id: str) -> Response:
        """End an API token; the next request that comes with it is refused. Revoking twice is no error."""
        administration = self._administration()
        if all(token.id != token_id for token in administration.tokens()):
            raise NotFoundError(f"No token has the id '{token_id}'.")
        return Answer(token_item(administration.revoke_token(token_id, caller(request).name), self.house.clock_ns()))

    def users(self) -> Response:
        """All users by name."""
        return Answer(UserList([user_item(user) for user in self._administration().users()]))

    def create_user(self, request: Request, wanted: NewUserBody) -> Response:
        """Make a local user."""
        made = self._administration().create_user(
            wanted.name, wanted.role, wanted.tenants, wanted.password, caller(request).name
        )
        return Answer(user_item(made), CREATED)

    def change_user(self, request: Request, user_id: str, wanted: UserChangeBody) -> Response:
        """Change role, tenants or whether a user may log in, or set a new password; open sessions of the user end."""
        administration, by = self._administration(), caller(request).name
        self._user(user_id)
        changes = _changes(wanted)
        if wanted.password is UNSET:
            return Answer(user_item(administration.change_user(user_id, by, **changes)))
        if changes:
            raise BadBodyError("is changed alone, so that nothing is half done; send two requests.", field="password")
        administration.set_password(user_id, str(wanted.password), by)
        return Answer(user_item(self._user(user_id)))

    def delete_user(self, request: Request, user_id: str) -> Response:
        """Remove a user and their sessions."""
        self._user(user_id)
        self._administration().delete_user(user_id, caller(request).name)
        return Response(status_code=NO_CONTENT)

    def settings(self) -> Response:
        """The effective configuration: each setting, its value and where that comes from. Secrets are not told."""
        return Answer(SettingList([setting_item(setting) for setting in self.house.settings()]))

    def _administration(self) -> AccessAdministration:
        if self.house.administration is None:
            raise AccessOffError
        return self.house.administration

    def _user(self, user_id: str) -> StoredUser:
        found = next((user for user in self._administration().users() if user.id == user_id), None)
        if found is None:
            raise NotFoundError(f"No user has the id '{user_id}'.")
        return found

    def _expires_ns(self, text: str | None) -> int | None:
        try:
            return None if text is None else time_ns(text, self.house.clock_ns())
        except BadTimeError as error:
            raise BadBodyError(str(error), field="expires") from error


def session_ends_ns(request: Request, now_ns: int) -> int | None:
    """When the session of the caller ends at the latest, to the second; None for callers without one.

    The layer around the application leaves it in `scope["state"]["session"]`, with its `max_age_s`.
    """
    session = request.scope.get("state", {}).get("session")
    max_age_s = getattr(session, "max_age_s", None)
    return None if max_age_s is None else (now_ns // SECOND_NS + int(max_age_s)) * SECOND_NS


def _changes(wanted: UserChange) -> dict[str, Any]:
    """What `change_user` is given; the password is not among it."""
    changes = {name: getattr(wanted, name) for name in ("role", "is_disabled") if getattr(wanted, name) is not UNSET}
    if wanted.tenants is not UNSET:
        changes["tenants"] = {"tenants": wanted.tenants}
    if not changes and wanted.password is UNSET:
        raise BadBodyError("The body changes nothing: give role, tenants, is_disabled or password.")
    return changes


def add_to(router: APIRouter, house: ApiHouse) -> None:
    routes = AccessRoutes(house)
    _add_readers(router, routes)
    _add_writers(router, routes)


def _add_readers(router: APIRouter, routes: AccessRoutes) -> None:
    for path, endpoint, shape, summary in (
        (ME, routes.me, MeItem, "Who am I"),
        (TOKENS, routes.tokens, TokenList, "Tokens"),
        (USERS, routes.users, UserList, "Users"),
        ("/api/v1/settings", routes.settings, SettingList, "Settings"),
    ):
        router.add_api_route(path, endpoint, response_model=shape, summary=summary, tags=["access"])


def _add_writers(router: APIRouter, routes: AccessRoutes) -> None:
    for method, path, endpoint, status, body, shape, summary in (
        ("POST", f"{ME}/password", routes.change_own_password, NO_CONTENT, PasswordChange, None, "Own password"),
        ("POST", TOKENS, routes.create_token, CREATED, NewToken, CreatedToken, "New token"),
        ("DELETE", f"{TOKENS}/{{token_id}}", routes.revoke_token, OK, None, TokenItem, "Revoke a token"),
        ("POST", USERS, routes.create_user, CREATED, NewUser, UserItem, "New user"),
        ("PATCH", f"{USERS}/{{user_id}}", routes.change_user, OK, UserChange, UserItem, "Change a user"),
        ("DELETE", f"{USERS}/{{user_id}}", routes.delete_user, NO_CONTENT, None, None, "Remove a user"),
    ):
        router.add_api_route(
            path,
            endpoint,
            methods=[method],
            status_code=status,
            response_model=shape,
            openapi_extra=None if body is None else documented(body),
            summary=summary,
            tags=["access"],
        )
