"""The effective configuration as people may see it."""

from dataclasses import dataclass
from typing import Any

from peakline_server.configuration.catalogue import Setting
from peakline_server.configuration.given import Origin, Source
from peakline_server.configuration.kinds import DatabaseUrl

SET, NOT_SET = "set", "not set"


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting. Of a secret it says only whether it is set; a database URL shows neither user nor password.

    name            access.session_idle
    value, default  as people write them, '' for none
    origin          peakline.yaml:12, PEAKLINE_ACCESS_SESSION_IDLE, --port, default
    source          default, file, environment, option
    unit            of the value, '' for none
    restart_needed  whether a change in the file waits for a restart
    """

    name: str
    value: str
    origin: str
    source: Source
    default: str
    unit: str
    sentence: str
    kind: str
    is_secret: bool
    restart_needed: bool

    @classmethod
    def of(cls, setting: Setting, value: Any, origin: Origin) -> "SettingRow":
        """The row of a setting with a value."""
        return cls(
            name=setting.name,
            value=_secret(value) if setting.is_secret else setting.shown(value),
            origin=str(origin),
            source=origin.source,
            default=NOT_SET if setting.is_secret else setting.shown(setting.default),
            unit=setting.unit,
            sentence=setting.sentence,
            kind=setting.kind,
            is_secret=setting.is_secret,
            restart_needed=not setting.reloads,
        )

    @property
    def is_told(self) -> bool:
        """Whether somebody said something about it."""
        return self.source is not Source.DEFAULT


def _secret(value: Any) -> str:
    if value is None:
        return NOT_SET
    return value.shown() if isinstance(value, DatabaseUrl) else SET
