"""What peakline.yaml says, setting by setting, and every mistake in how it is put together."""

import stat
from pathlib import Path

import yaml
from pydantic import SecretStr, ValidationError

from documents.yaml_file import DocumentError, read_node
from peakline_server.configuration.catalogue import Setting, Steps, by_path, sections
from peakline_server.configuration.given import Given, Origin, Source
from peakline_server.configuration.kinds import DatabaseUrl
from peakline_server.configuration.mistakes import ConfigurationError, Mistake, unknown
from peakline_server.configuration.secret_file import SecretFileError, read_secret
from peakline_server.configuration.written import Told, Writing, is_empty

FILE_SUFFIX = "_file"
_READABLE = (
    "a secret stands here and others may read this file; run `chmod 600` on it, or keep the secret in a file of its "
    "own that {key}_file names"
)


def read_file(path: Path) -> Told:
    """The settings of a file. Everything that is wrong is collected.

    raises  ConfigurationError when it cannot be taken apart at all: missing, no text, no YAML
    """
    try:
        node = read_node(path, "configuration")
    except DocumentError as fault:
        raise ConfigurationError([_whole(path, str(fault))]) from None
    reading = _Reading(path)
    if node is not None:
        reading.section(node, ())
        reading.refuse_readable_secrets()
    return reading.told


def _whole(path: Path, message: str) -> Mistake:
    """The reader's complaint about the whole, which names the file and mostly the line."""
    line, separator, reason = message.removeprefix(f"{path}:").partition(": ")
    if separator and line.isdigit():
        return Mistake(int(line), f"{path}:{line}", "", reason)
    return Mistake(0, "", "", message)


class _Reading:
    """One walk through the nodes of a file."""

    def __init__(self, path: Path) -> None:
        self.told = Told()
        self._path = path
        self._writing = Writing(self.told, self._origin)

    def section(self, node: yaml.Node, path: Steps) -> None:
        """The keys of a part; an empty part is no mistake."""
        if isinstance(node, yaml.MappingNode):
            for key, value in self._writing.entries(node, path):
                self._entry(key, value, path)
        elif not is_empty(node):
            self._writing.wrong(self._origin(node), path, "`key: value` lines are wanted here")

    def refuse_readable_secrets(self) -> None:
        """Secrets in a file that everybody on the machine may read are none."""
        try:
            mode = self._path.stat().st_mode
        except OSError:
            mode = stat.S_IROTH  # it vanished while it was read: nothing vouches for it
        if not mode & stat.S_IROTH:
            return
        for given in self.told.given:
            if given.setting.is_secret and not given.from_secret_file and _holds_secret(given):
                key = given.setting.path[-1]
                self._writing.wrong(given.origin, given.setting.path, _READABLE.format(key=key))

    def _origin(self, node: yaml.Node) -> Origin:
        line = node.start_mark.line + 1
        return Origin(Source.FILE, f"{self._path}:{line}", line)

    def _entry(self, key: yaml.Node, value: yaml.Node, path: Steps) -> None:
        below = (*path, str(key.value))
        origin = self._origin(key)
        if below in sections():
            self.section(value, below)
        elif below in by_path():
            setting = by_path()[below]
            if not (setting.is_many and is_empty(value)):  # every entry may be commented out
                self._give(self._writing.given(setting, value, origin, self._path.parent))
        elif below[-1] in sections()[path]:
            self._secret_file(by_path()[(*path, below[-1].removesuffix(FILE_SUFFIX))], below, value, origin)
        else:
            self._writing.wrong(origin, below, unknown(below[-1], sections()[path]))

    def _secret_file(self, setting: Setting, path: Steps, node: yaml.Node, origin: Origin) -> None:
        try:
            secret = read_secret(node.value, self._path.parent)
        except SecretFileError as fault:
            self._writing.wrong(origin, path, str(fault))
        else:
            self._give(Given(setting, secret, origin, self._path.parent, from_secret_file=True))

    def _give(self, given: Given) -> None:
        """One secret has one place."""
        if self.told.is_given(given.setting):
            reason = f"it stands here and in {given.setting.path[-1]}{FILE_SUFFIX}; take one of them out"
            self._writing.wrong(given.origin, given.setting.path, reason)
        else:
            self.told.given.append(given)


def _holds_secret(given: Given) -> bool:
    try:
        value = given.read()
    except ValidationError:
        return True
    return value.holds_secret if isinstance(value, DatabaseUrl) else isinstance(value, SecretStr)
