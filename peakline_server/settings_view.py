"""What the page of settings is told: who may come in, what is configured, what changed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from access.room import AccessRoom
from peakline_server.change_log import ChangeLog
from peakline_server.configuration.rows import SettingRow
from store.control.access_records import StoredToken, StoredUser, UserKind
from vocabulary.access import Principal, PrincipalKind
from vocabulary.changes import ChangeEvent


@dataclass(frozen=True, slots=True)
class SettingsView:
    """See `dashboard.house.SettingsView`.

    room      None while access is off
    rows      the effective configuration
    problems  why changed files are not adopted
    """

    room: AccessRoom | None
    rows: Callable[[], Sequence[SettingRow]]
    log: ChangeLog
    problems: Callable[[], Sequence[str]]

    @property
    def access_is_on(self) -> bool:
        """Whether callers are asked who they are."""
        return self.room is not None

    def tokens(self) -> Sequence[StoredToken]:
        """All tokens, newest first; none while access is off."""
        return self.room.administration.tokens() if self.room else ()

    def users(self) -> Sequence[StoredUser]:
        """All users by name; none while access is off."""
        return self.room.administration.users() if self.room else ()

    def keeps_password_of(self, principal: Principal) -> bool:
        """Whether the caller is a local user, who may change their own password."""
        if principal.kind is not PrincipalKind.USER:
            return False
        return any(user.id == principal.id and user.kind is UserKind.LOCAL for user in self.users())

    def settings(self) -> Sequence[SettingRow]:
        """The effective configuration in the order of its documentation."""
        return self.rows()

    def changes(self, limit: int) -> Sequence[ChangeEvent]:
        """The newest changes, newest first."""
        return self.log.newest(limit)

    def reload_problems(self) -> Sequence[str]:
        """Sentences about files that changed and could not be adopted, and about what waits for a restart."""
        return self.problems()
