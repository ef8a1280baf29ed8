"""A folder with a peakline.yaml, and what is said about it."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from peakline_server.configuration.loading import Loaded, load
from peakline_server.configuration.mistakes import ConfigurationError

Write = Callable[[str], Path]
Read = Callable[..., Loaded]
Complain = Callable[..., list[str]]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes peakline.yaml, which only its owner may read."""

    def written(text: str) -> Path:
        path = tmp_path / "peakline.yaml"
        path.write_text(text, encoding="utf-8")
        path.chmod(0o600)
        return path

    return written


@pytest.fixture
def read(write: Write) -> Read:
    """Loads a text as the file, with these variables and options."""

    def loaded(
        text: str,
        environment: Mapping[str, str] | None = None,
        options: Mapping[str, tuple[str, object]] | None = None,
    ) -> Loaded:
        return load(write(text), environment or {}, options)

    return loaded


@pytest.fixture
def complaints(read: Read) -> Complain:
    """The sentences about a text as the file, without its folder; none when it can be used."""

    def sentences(text: str, environment: Mapping[str, str] | None = None, **options: tuple[str, object]) -> list[str]:
        named = {name.replace("__", "."): value for name, value in options.items()}
        try:
            read(text, environment, named)
        except ConfigurationError as fault:
            return [sentence.partition("/peakline.yaml:")[2] or sentence for sentence in str(fault).splitlines()]
        return []

    return sentences
