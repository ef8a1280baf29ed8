"""The configuration as it holds: options before environment variables before the file before defaults."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from peakline_server.configuration.catalogue import Steps, by_path, configured, settings, value_at
from peakline_server.configuration.contradictions import contradictions
from peakline_server.configuration.from_environment import CONFIG_VARIABLE, read_environment
from peakline_server.configuration.from_file import read_file
from peakline_server.configuration.given import DEFAULT, Given, Origin, Source, mistake
from peakline_server.configuration.mistakes import ConfigurationError, Mistake
from peakline_server.configuration.parts import Configuration
from peakline_server.configuration.rows import SettingRow
from peakline_server.configuration.written import Told
from peakline_server.reloading import digest

DEFAULT_FILE: Final = Path("peakline.yaml")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A configuration without mistakes.

    origins  where each setting that somebody told comes from
    file     that was read, None for none
    digest   of the file as it was when it was read, '' without one
    again    reads the same sources anew; raises ConfigurationError
    """

    configuration: Configuration
    origins: Mapping[Steps, Origin]
    file: Path | None
    digest: str
    again: Callable[[], "Loaded"] = field(repr=False, compare=False)

    def origin(self, path: Steps) -> Origin:
        """Where a setting comes from."""
        return self.origins.get(path, DEFAULT)

    def rows(self) -> tuple[SettingRow, ...]:
        """Every setting as people may see it: no secret is in it."""
        return tuple(
            SettingRow.of(setting, value_at(self.configuration, setting.path), self.origin(setting.path))
            for setting in settings()
        )


def load(
    file: Path | None = None,
    environment: Mapping[str, str] = os.environ,
    options: Mapping[str, tuple[str, object]] | None = None,
) -> Loaded:
    """Read everything, check everything.

    file     that was named on the command line; else the variable PEAKLINE_CONFIG names one, else ./peakline.yaml
             is read where it exists
    options  name of a setting -> (option as people write it, its value); None stands for an option not given
    raises   ConfigurationError with every mistake there is
    """
    sources = [_options(options or {}), read_environment(environment)]
    problems: list[Mistake] = []
    path = None
    try:
        path = file_to_read(file, environment)
        before = "" if path is None else digest((path,))
        sources += [] if path is None else [read_file(path)]
    except ConfigurationError as fault:
        problems += fault.mistakes
    merged = _Merged()
    for told in sources:
        problems += told.mistakes
        for given in told.given:
            merged.take(given)
    configuration = configured(merged.values)
    problems += [*merged.mistakes, *merged.contradictory(configuration)]
    if problems:
        raise ConfigurationError(problems)
    origins = {setting: given.origin for setting, given in merged.winners.items()}
    return Loaded(configuration, origins, path, before, lambda: load(path, environment, options))


def file_to_read(file: Path | None, environment: Mapping[str, str]) -> Path | None:
    """The configuration file, None where there is none.

    raises  ConfigurationError for the home folder of nobody
    """
    if file is not None:
        return file
    if named := environment.get(CONFIG_VARIABLE):
        try:
            return Path(named).expanduser()
        except RuntimeError:
            reason = "there is no such home folder; write the whole path"
            raise ConfigurationError([Mistake(0, CONFIG_VARIABLE, "", reason)]) from None
    return DEFAULT_FILE if os.path.lexists(DEFAULT_FILE) else None  # a link to nowhere is no absence


def _options(options: Mapping[str, tuple[str, object]]) -> Told:
    told = Told()
    for name, (option, value) in options.items():
        if value is not None:
            setting = by_path()[tuple(name.split("."))]
            told.given.append(Given(setting, value, Origin(Source.OPTION, option), Path()))
    return told


class _Merged:
    """Values of all sources, strongest first."""

    def __init__(self) -> None:
        self.values: dict[Steps, Any] = {}
        self.winners: dict[Steps, Given] = {}
        self.mistakes: list[Mistake] = []
        self._broken: set[Steps] = set()

    def take(self, given: Given) -> None:
        """Every value is looked at, also one that a stronger source overrules."""
        path = given.setting.path
        try:
            value = given.read()
        except ValidationError as fault:
            self.mistakes.extend(given.mistakes(fault))
            self._broken.add(path)
            return
        if given.spoilt:
            self._broken.add(path)
        elif path not in self.winners:
            self.values[path], self.winners[path] = value, given

    def contradictory(self, configuration: Configuration) -> Iterator[Mistake]:
        """What does not go together, but nothing that a value which could not be read might explain."""
        for found in contradictions(configuration):
            paths = [tuple(name.split(".")) for name in found.names]
            if self._broken.isdisjoint(paths):
                to_blame = next((path for path in paths if path in self.winners), paths[0])
                given = self.winners.get(to_blame)
                yield mistake(given.at(found.inner) if given else DEFAULT, to_blame, found.reason, found.inner)
