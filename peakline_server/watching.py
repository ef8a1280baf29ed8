"""Which files a running server reads again, what it does with them, and where it tells."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from alerts.rules import Rule, load_rules
from collector.otlp.alias_file import read_alias_tables
from collector.otlp.alias_tables import AliasTables
from peakline_server.background import Repeating
from peakline_server.change_log import ChangeLog
from peakline_server.configuration.rows import SettingRow
from peakline_server.configuration.running import RunningConfiguration
from peakline_server.parts import Alerting, Ingest, Stores
from peakline_server.reloading import LOOK_EVERY_S, Reloadable, Reloader
from peakline_server.settings import ServeSettings
from vocabulary.services import ServiceBook

Content = TypeVar("Content")
WRITE_EVERY_S = 5.0


@dataclass(slots=True)
class Services:
    """The service definitions in force; whoever asks gets the newest. `adopt` from any thread."""

    book: ServiceBook
    stores: Stores
    ingest: Ingest | None

    def adopt(self, book: ServiceBook) -> None:
        """Judge, count and price by another book from now on."""
        self.book = book
        self.stores.rollup.adopt(book)
        if self.ingest is not None:
            self.ingest.adopt_services(book)


class Watching:
    """Rules, alias table and configuration of one process, read again when they change."""

    def __init__(
        self,
        settings: ServeSettings,
        services: Services,
        alerting: Alerting,
        log: ChangeLog,
        clock_ns: Callable[[], int],
    ) -> None:
        self._running = RunningConfiguration(settings.configuration, services.adopt) if settings.configuration else None
        things: list[Reloadable[Any]] = [
            *_rules(settings, alerting),
            *_aliases(settings, services.ingest),
            *(self._running.reloadables() if self._running else ()),
        ]
        self._log = log
        self._reloader = Reloader(things, log.note, clock_ns)
        self._looks = Repeating("reloading", LOOK_EVERY_S, self._reloader.look)
        self._writes = Repeating("change log", WRITE_EVERY_S, log.write)

    @property
    def works(self) -> tuple[Repeating, ...]:
        """What repeats here."""
        return (self._looks, self._writes)

    def rows(self) -> Sequence[SettingRow]:
        """The effective configuration; none where nobody wrote one."""
        return self._running.rows() if self._running else ()

    def reload(self) -> None:
        """Read everything that changed, now."""
        self._reloader.reload()

    def failing(self) -> Sequence[str]:
        """Names of the things whose changed files are refused."""
        return self._reloader.failing()

    def problems(self) -> Sequence[str]:
        """Why files are not adopted, and what waits for a restart."""
        return self._reloader.problems()

    def close(self) -> None:
        """End looking; write what is not in the store yet, if it can be."""
        self._looks.close()
        self._writes.close()


def _rules(settings: ServeSettings, alerting: Alerting) -> list[Reloadable[tuple[Rule, ...]]]:
    if settings.rules is None:
        return []
    file = settings.rules
    return [Reloadable("alert rules", (file,), lambda: load_rules(file), adopted(alerting.adopt))]


def _aliases(settings: ServeSettings, ingest: Ingest | None) -> list[Reloadable[AliasTables]]:
    if settings.alias_file is None or ingest is None:
        return []
    file = settings.alias_file
    return [Reloadable("alias table", (file,), lambda: read_alias_tables(file), adopted(ingest.adopt_aliases))]


def adopted(adopt: Callable[[Content], None]) -> Callable[[Content], Sequence[str]]:
    """An adoption after which nothing waits for a restart."""

    def swap(content: Content) -> Sequence[str]:
        adopt(content)
        return ()

    return swap
