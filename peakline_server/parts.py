"""The parts of one process, in the order they start, each passed what it needs."""

import contextlib
import os
import secrets
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from alerts.evaluate import Evaluator
from alerts.reading import LoadReader
from alerts.rules import Rule, load_rules
from alerts.views import AlertsView
from collector.group_commit import GroupCommitter
from collector.ingest import Ingestor
from collector.otlp.alias_file import read_alias_tables
from collector.otlp.alias_tables import AliasTables
from collector.otlp.normalise import Normaliser
from collector.otlp.privacy import Privacy
from collector.receive import Receiver
from collector.trace_commit import TraceCommit
from peakline_server.background import Repeating
from peakline_server.data_folder import stranger
from peakline_server.salt import content_salt
from peakline_server.settings import Role, ServeSettings
from store.contract import Rollup, TelemetryReader
from store.control.access_file import keep_private
from store.control.alert_states import SqlAlertBook
from store.control.open import Control, open_control
from store.telemetry.lock import FolderLock
from store.telemetry.open import Telemetry, open_telemetry
from store.telemetry.rollup import Rebuilder
from vocabulary.errors import PeaklineError
from vocabulary.pools import SECOND_NS, Pool, Window
from vocabulary.services import ServiceBook

ROLLUP_EVERY_S = 2.0
EVALUATE_EVERY_S = 5.0
LEDGER_EVERY_S = 5.0
_DECODE_THREADS = 2
_ACTIVE_POOLS_S = 3600


@dataclass(frozen=True, slots=True)
class Stores:
    """Both databases, opened and migrated."""

    telemetry: Telemetry
    control: Control
    rollup: Rebuilder
    opened: contextlib.ExitStack

    def healthy(self) -> bool:
        """Whether the telemetry store answers a small question now."""
        try:
            self.telemetry.reader.ping()
        except PeaklineError:
            return False
        return True

    def close(self) -> None:
        """Release both; the data folder's lock goes last."""
        self.opened.close()


class DataFolderError(PeaklineError):
    """The data folder cannot be used as it is."""


def prepare_folder(folder: Path, *, create: bool) -> None:
    """Make sure that the data folder is there and ours to write.

    raises  DataFolderError; a missing folder is not made silently, for a mistyped path would look like lost data
    """
    try:
        if create:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as problem:
        message = f"the data folder {folder} cannot be made: {problem.strerror}"
        raise DataFolderError(message) from problem
    if not folder.is_dir():
        message = f"the data folder {folder} does not exist; make it, or add --init to have it made"
        raise DataFolderError(message)
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        message = f"the data folder {folder} cannot be read and written by this user"
        raise DataFolderError(message)
    if name := stranger(folder):
        message = f"the data folder {folder} holds other files ({name}, ...); choose an empty one"
        raise DataFolderError(message)


def open_stores(settings: ServeSettings) -> Stores:
    """Open both stores and bring the rollup up to date with what a crash left.

    raises  PeaklineError with a sentence for a person: folder in use, newer schema, unreachable
    """
    prepare_folder(settings.data, create=settings.init)
    with contextlib.ExitStack() as opened:
        lock = FolderLock(settings.data)
        opened.callback(lock.release)
        telemetry = open_telemetry(settings.telemetry_url)
        opened.callback(telemetry.close)
        keep_private(settings.control_url)
        control = open_control(settings.control_url)
        opened.callback(control.close)
        return Stores(telemetry, control, telemetry.rollup(control, services=settings.services), opened.pop_all())


class NoDirt:
    """Where another process rolls up, it finds what is dirty by version; nothing needs remembering here."""

    def mark(self, pool_minutes: Iterable[tuple[str, str, int]], version: int) -> None:
        """Forget."""


def rollup_round(role: Role, rollup: Rollup) -> Callable[[], object]:
    """What a process does for rollups every few seconds: one process rebuilds, the others follow its pointer."""
    if role is Role.ALL:
        return rollup.run
    if role is Role.EVALUATOR:
        return lambda: (rollup.catch_up(), rollup.run())
    return rollup.follow


class Ingest:
    """Receiver, committer and ingestor: everything between the wire and the store."""

    def __init__(self, settings: ServeSettings, stores: Stores, clock_ns: Callable[[], int]) -> None:
        ingestor = Ingestor(
            writer=stores.telemetry.writer,
            reader=stores.telemetry.reader,
            dirt=stores.rollup if settings.role is Role.ALL else NoDirt(),
            clock_ns=clock_ns,
            salt=secrets.randbits(63),
            services=settings.services,
        )
        if settings.role is Role.ALL:
            stores.rollup.recover()
        ingestor.recover()
        if settings.role is Role.ALL:
            stores.rollup.run()
        self._ingestor = ingestor
        self._privacy = Privacy(content_salt(settings.data), capture_content=settings.capture_content)
        tables = read_alias_tables(settings.alias_file) if settings.alias_file else None
        self._commit = TraceCommit(Normaliser(self._privacy, tables), ingestor)
        self._committer = GroupCommitter(self._commit)
        self._workers = ThreadPoolExecutor(_DECODE_THREADS, thread_name_prefix="decode")
        self.receiver = Receiver(self._committer, self._workers, clock_ns, settings.body_bytes_max)
        self._ledger = Repeating("ledger", LEDGER_EVERY_S, self.receiver.enter_refused)

    def adopt_services(self, services: ServiceBook) -> None:
        """Judge what comes from now on by other objectives. From any thread."""
        self._ingestor.services = services

    def adopt_aliases(self, tables: AliasTables) -> None:
        """Understand what comes from now on with other tables. From any thread."""
        self._commit.adopt(Normaliser(self._privacy, tables))

    @property
    def works(self) -> tuple[Repeating, ...]:
        """What repeats here."""
        return (self._ledger,)

    def close(self) -> None:
        """Store what waits, then stop."""
        self._ledger.close()
        with contextlib.suppress(PeaklineError):
            self.receiver.enter_refused()
        self._committer.close()
        self._workers.shutdown()


class Alerting:
    """Rules, their book, and, where this process evaluates, the evaluator that keeps it."""

    def __init__(
        self, settings: ServeSettings, stores: Stores, clock_ns: Callable[[], int], *, evaluates: bool = True
    ) -> None:
        rules = load_rules(settings.rules) if settings.rules else ()
        book = SqlAlertBook(stores.control.engine)
        reader = stores.telemetry.reader
        self.view = AlertsView(rules, book)
        self._evaluator: Evaluator | None = None
        self._rounds: Repeating | None = None
        if not evaluates:
            return
        self._evaluator = Evaluator(
            rules, LoadReader(reader, clock_ns), book, clock_ns, lambda: active_pools(reader, clock_ns())
        )
        self._rounds = Repeating("evaluator", EVALUATE_EVERY_S, self._evaluator.evaluate)

    def adopt(self, rules: tuple[Rule, ...]) -> None:
        """Watch by other rules from the next round on. From any thread."""
        self.view.adopt(rules)
        if self._evaluator is not None:
            self._evaluator.adopt(rules)

    @property
    def works(self) -> tuple[Repeating, ...]:
        """What repeats here."""
        return (self._rounds,) if self._rounds else ()

    def close(self) -> None:
        """Stop evaluating; states stay in the book."""
        if self._rounds is not None:
            self._rounds.close()


def active_pools(reader: TelemetryReader, now_ns: int) -> Sequence[Pool]:
    """Pools with production requests in the last hour."""
    window = Window(now_ns - _ACTIVE_POOLS_S * SECOND_NS, now_ns)
    return [activity.pool for activity in reader.pools(window)]
