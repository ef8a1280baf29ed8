"""All settings in their order, each with its name, its environment variable, and how its values are read and shown."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import lru_cache
from types import NoneType, UnionType
from typing import Annotated, Any, TypeGuard, Union, get_args, get_origin

from pydantic import BaseModel, SecretStr, TypeAdapter
from pydantic.fields import FieldInfo

from peakline_server.configuration.kinds import DatabaseUrl, Word, duration_text, size_text
from peakline_server.configuration.parts import Configuration, Part

PREFIX = "PEAKLINE"
Steps = tuple[str, ...]
_WORDS: dict[object, str] = {str: "text", int: "whole number", bool: "true or false", float: "number"}


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting.

    path        keys that lead to it in the file
    annotation  type of its values
    adapter     reads them
    default     as `Configuration` holds it
    unit        of its value, '' for none
    sentence    what it is, for people
    kind        what values are, for people
    example     what stands in the example file where there is no default
    reloads     whether a change in the file takes effect while the server runs
    """

    path: Steps
    annotation: Any
    adapter: TypeAdapter[Any]
    default: Any
    unit: str
    sentence: str
    kind: str
    example: str
    reloads: bool

    @property
    def name(self) -> str:
        """As messages and tables call it: access.oidc.issuer."""
        return ".".join(self.path)

    @property
    def variable(self) -> str:
        """Its environment variable: PEAKLINE_ACCESS_OIDC_ISSUER."""
        return "_".join((PREFIX, *self.path)).upper()

    @property
    def is_secret(self) -> bool:
        """Whether its value is never shown, and may be kept in a file of its own."""
        return self.kind.endswith("secret")

    @property
    def is_size(self) -> bool:
        """Whether it is a number of bytes."""
        return self.kind == "size"

    @property
    def is_many(self) -> bool:
        """Whether its value is a list or `key: value` lines."""
        return self.kind.startswith(("list", "table"))

    def shown(self, value: Any) -> str:
        """A value as people write it; of a secret only whether it is set."""
        return size_text(value) if self.is_size else shown(value)


def shown(value: Any) -> str:
    """A value as people write it, never a secret; '' for none."""
    if isinstance(value, SecretStr):
        return value.shown() if isinstance(value, DatabaseUrl) else "set"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, timedelta):
        return duration_text(value)
    if value in (None, (), {}):
        return ""
    return json.dumps(plain(value), ensure_ascii=False) if isinstance(value, tuple | dict) else str(value)


def plain(value: Any) -> Any:
    """A value as JSON has it, written as people write it, without secrets."""
    if isinstance(value, BaseModel):
        return plain(value.model_dump(exclude_defaults=True))
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if value is None or isinstance(value, bool | int | float):
        return value
    return shown(value)


@lru_cache(maxsize=1)
def settings() -> tuple[Setting, ...]:
    """All settings in the order of the file."""
    return tuple(_settings(Configuration, ()))


@lru_cache(maxsize=1)
def by_path() -> dict[Steps, Setting]:
    """The settings by their paths."""
    return {one.path: one for one in settings()}


@lru_cache(maxsize=1)
def sections() -> dict[Steps, tuple[str, ...]]:
    """Path of each part, the whole included -> its keys; a secret may also be told by `<key>_file`."""
    found: dict[Steps, list[str]] = {}
    for one in settings():
        for depth in range(len(one.path)):
            keys = found.setdefault(one.path[:depth], [])
            if one.path[depth] not in keys:
                keys.append(one.path[depth])
        if one.is_secret:
            found[one.path[:-1]].append(f"{one.path[-1]}_file")
    return {path: tuple(keys) for path, keys in found.items()}


def configured(values: dict[Steps, Any]) -> Configuration:
    """The configuration with these values that are known to be good, and defaults for the rest."""
    return _part(Configuration, (), values)  # type: ignore[return-value]  # it makes what it is given


def value_at(configuration: Configuration, path: Steps) -> Any:
    """The value of a setting."""
    found: Any = configuration
    for step in path:
        found = getattr(found, step)
    return found


def _part(part: type[Part], path: Steps, values: dict[Steps, Any]) -> Part:
    given: dict[str, Any] = {}
    for name, field in part.model_fields.items():
        inner = field.annotation
        below = (*path, name)
        if _is_part(inner):
            given[name] = _part(inner, below, values)
        elif below in values:
            given[name] = values[below]
    return part.model_construct(None, **given)


def _settings(part: type[Part], path: Steps) -> Iterator[Setting]:
    for name, field in part.model_fields.items():
        inner = field.annotation
        if _is_part(inner):
            yield from _settings(inner, (*path, name))
        else:
            yield _setting((*path, name), field)


def _is_part(annotation: Any) -> TypeGuard[type[Part]]:
    return isinstance(annotation, type) and issubclass(annotation, Part)


def _setting(path: Steps, field: FieldInfo) -> Setting:
    extra: Any = field.json_schema_extra
    whole: Any = Annotated[field.annotation, field.description, *field.metadata]
    return Setting(
        path=path,
        annotation=field.annotation,
        adapter=TypeAdapter(whole),
        default=field.default,
        unit=extra["unit"],
        sentence=str(field.description),
        kind=_kind(field.annotation, field.metadata),
        example=extra["example"],
        reloads=extra["reloads"],
    )


def _kind(annotation: Any, metadata: Sequence[object]) -> str:
    """What people call the values: the word that the annotation carries, else by the type."""
    word = next((one.text for one in metadata if isinstance(one, Word)), None)
    if word is not None:
        return word
    if get_origin(annotation) is Annotated:
        return _kind(get_args(annotation)[0], annotation.__metadata__)
    if get_origin(annotation) in {Union, UnionType}:
        (inner,) = (one for one in get_args(annotation) if one is not NoneType)
        return _kind(inner, ())
    if get_origin(annotation) is dict:
        return f"table of {_kind(get_args(annotation)[1], ())}"
    if isinstance(annotation, type) and issubclass(annotation, StrEnum):
        return f"one of {', '.join(annotation)}"
    return _WORDS[annotation]
