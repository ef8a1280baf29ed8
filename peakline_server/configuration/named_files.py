"""Whether the files that a configuration names can be used: asked before a start, without starting anything."""

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial

from alerts.rules import load_rules
from collector.otlp.alias_file import read_alias_tables
from peakline_server.configuration.catalogue import Steps
from peakline_server.configuration.given import mistake
from peakline_server.configuration.loading import Loaded
from peakline_server.configuration.mistakes import Mistake
from peakline_server.configuration.serving import tls_settings
from peakline_server.tls import open_tls
from vocabulary.errors import PeaklineError


def mistakes_in_files(loaded: Loaded, now: datetime) -> Iterator[Mistake]:
    """What is wrong in the rule file, the alias file, the certificate and its key.

    now  aware, for the certificate's end
    """
    whole = loaded.configuration
    if whole.alerts.rules_file:
        yield from _tried(loaded, ("alerts", "rules_file"), partial(load_rules, whole.alerts.rules_file))
    if whole.ingest.alias_file:
        yield from _tried(loaded, ("ingest", "alias_file"), partial(read_alias_tables, whole.ingest.alias_file))
    tls = tls_settings(whole.server.tls)
    if tls is not None:
        yield from _tried(loaded, ("server", "tls", "certificate_file"), partial(open_tls, tls, now))


def _tried(loaded: Loaded, path: Steps, read: Callable[[], object]) -> Iterator[Mistake]:
    try:
        read()
    except PeaklineError as fault:
        yield mistake(loaded.origin(path), path, str(fault))
