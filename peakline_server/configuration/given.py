"""What a source says about one setting, and how it becomes a value or mistakes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from peakline_server.configuration.catalogue import Setting, Steps
from peakline_server.configuration.mistakes import Mistake, reasons

Inner = tuple[str | int, ...]


class Source(StrEnum):
    """Where a value comes from, strongest last."""

    DEFAULT = "default"
    FILE = "file"
    ENVIRONMENT = "environment"
    OPTION = "option"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where exactly: peakline.yaml:12, PEAKLINE_SERVER_PORT, --port; '' for a default."""

    source: Source
    where: str = ""
    line: int = 0

    def __str__(self) -> str:
        """For people."""
        return self.where or str(self.source)


DEFAULT = Origin(Source.DEFAULT)


@dataclass(frozen=True, slots=True)
class Given:
    """A value as it is written: text, lists and mappings of text.

    folder            that relative paths are meant from
    inner             where its parts stand, by their steps below the value
    spoilt            parts of it about which a mistake is noted already
    from_secret_file  whether it was kept in a file of its own
    """

    setting: Setting
    value: Any
    origin: Origin
    folder: Path
    inner: Mapping[Inner, Origin] = field(default_factory=dict)
    spoilt: frozenset[Inner] = frozenset()
    from_secret_file: bool = False

    def read(self) -> Any:
        """The value itself.

        raises  ValidationError of pydantic
        """
        return self.setting.adapter.validate_python(self.value, context={"folder": self.folder})

    def mistakes(self, fault: ValidationError) -> Iterator[Mistake]:
        """What is wrong with it, each at its own place."""
        for steps, reason in reasons(fault, lambda below: _keys(self.setting, below)):
            written = self._written(steps)
            if written not in self.spoilt:
                yield mistake(self.at(steps), self.setting.path, reason, written)

    def at(self, steps: Inner) -> Origin:
        """Where the part stands, or the nearest thing around it."""
        while steps and steps not in self.inner:
            steps = steps[:-1]
        return self.inner.get(steps, self.origin)

    def _written(self, steps: Inner) -> Inner:
        """The steps that somebody wrote: pydantic names branches and missing keys too."""
        return steps if steps in self.inner else steps[:-1]


def mistake(origin: Origin, path: Steps, reason: str, inner: Inner = ()) -> Mistake:
    """A sentence about a setting; a variable or an option names it already."""
    told = told_path(path, inner) if origin.source in {Source.FILE, Source.DEFAULT} else told_path((), inner)
    return Mistake(origin.line, origin.where, told, reason)


def told_path(path: Steps, inner: Inner = ()) -> str:
    """services[0].prices.currency."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in (*path, *inner))
    return text.removeprefix(".")


def _keys(setting: Setting, steps: Inner) -> tuple[str, ...]:
    """The keys that are known at some steps inside the value of a setting."""
    annotations = list(_choices(setting.annotation))
    for step in steps:
        inner = [one for annotation in annotations for one in _below(annotation, step)]
        annotations = [one for annotation in inner for one in _choices(annotation)]
    return tuple(key for one in annotations if _is_model(one) for key in one.model_fields)


def _choices(annotation: Any) -> Iterator[Any]:
    """What values may be, without what is annotated."""
    if get_origin(annotation) is Annotated:
        yield from _choices(get_args(annotation)[0])
    elif get_origin(annotation) in {Union, UnionType}:
        for one in get_args(annotation):
            yield from _choices(one)
    else:
        yield annotation


def _below(annotation: Any, step: str | int) -> Iterator[Any]:
    if _is_model(annotation):
        yield from (field.annotation for name, field in annotation.model_fields.items() if name == step)
    elif get_origin(annotation) is tuple:
        yield get_args(annotation)[0]
    elif get_origin(annotation) is dict:
        yield get_args(annotation)[1]


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)
