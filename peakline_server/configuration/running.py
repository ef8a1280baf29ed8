"""The configuration of a server that runs: what changes at once when its file changes, and what waits for a restart."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from peakline_server.configuration.catalogue import Setting, settings, value_at
from peakline_server.configuration.loading import Loaded
from peakline_server.configuration.rows import SettingRow
from peakline_server.configuration.services import service_book
from peakline_server.reloading import Reloadable
from vocabulary.services import ServiceBook

NAME = "configuration"


class RunningConfiguration:
    """Holds what is in force; `reloadables` go to the Reloader.

    adopt_services  swaps the service definitions in
    """

    def __init__(self, loaded: Loaded, adopt_services: Callable[[ServiceBook], None]) -> None:
        self._loaded = loaded
        self._adopt_services = adopt_services

    def rows(self) -> tuple[SettingRow, ...]:
        """Every setting as it is in force, as people may see it."""
        return self._loaded.rows()

    def reloadables(self) -> tuple[Reloadable[Loaded], ...]:
        """The file, where there is one."""
        if self._loaded.file is None:
            return ()
        return (Reloadable(NAME, (self._loaded.file,), self._loaded.again, self.adopt, self._loaded.digest),)

    def adopt(self, new: Loaded) -> Sequence[str]:
        """Take over what can change at once.

        returns  a sentence for each setting that waits for a restart
        """
        old = self._loaded
        changed = [one for one in settings() if _differs(one, old, new)]
        if any(one.reloads for one in changed):
            self._adopt_services(service_book(new.configuration.services))
            self._loaded = replace(
                old,
                configuration=old.configuration.model_copy(update={"services": new.configuration.services}),
                origins={
                    **old.origins,
                    **{path: where for path, where in new.origins.items() if path == ("services",)},
                },
            )
        return [f"{one.name} changed in {old.file}; restart to use it" for one in changed if not one.reloads]


def _differs(setting: Setting, old: Loaded, new: Loaded) -> bool:
    return bool(value_at(old.configuration, setting.path) != value_at(new.configuration, setting.path))
