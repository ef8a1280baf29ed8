"""Which requests count as defective: those with a defect of a kind that counts for their pool."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, func, literal

from vocabulary.outcomes import DefectKind
from vocabulary.services import ALL_KINDS, ServiceBook, ServiceDefinition

EVERYTHING = "*"
_ESCAPED = str.maketrans({"\\": "\\\\", "%": "\\%", "_": "\\_"})


def is_defective(columns: Any, services: ServiceBook) -> ColumnElement[bool]:
    """Whether a request has a defect that counts, by its service, model and defects."""
    defects: ColumnElement[int] = columns.defects
    branches, others = branches_of(services)
    if not branches and others == ALL_KINDS:
        return defects != 0
    # The first branch that matches decides, so they stand in the order in which `ServiceBook.definition` chooses.
    chosen: list[ColumnElement[Any]] = []
    for definition in branches:
        chosen += [_matches(columns, definition), func.toUInt16(int(definition.counted))]
    mask = func.multiIf(*chosen, func.toUInt16(int(others))) if chosen else int(others)
    return func.bitAnd(defects, mask) != 0


def branches_of(services: ServiceBook) -> tuple[Sequence[ServiceDefinition], DefectKind]:
    """The definitions that a statement must ask for, the most specific first, and what counts where none matches."""
    branches: list[ServiceDefinition] = []
    others = ALL_KINDS
    for definition in sorted(services.definitions, key=lambda found: found.specificity, reverse=True):
        if definition.service == definition.model == EVERYTHING:
            others = definition.counted
            break
        branches.append(definition)
    while branches and branches[-1].counted == others:
        branches.pop()
    return branches, others


def _matches(columns: Any, definition: ServiceDefinition) -> ColumnElement[bool]:
    asked = [(columns.service, definition.service), (columns.model, definition.model)]
    return and_(*(fits(name, pattern) for name, pattern in asked if pattern != EVERYTHING))


def fits(name: ColumnElement[str], pattern: str) -> ColumnElement[bool]:
    """As `vocabulary.services` matches: `*` stands for any characters, everything else for itself."""
    if "*" not in pattern:
        return name == pattern
    like: ColumnElement[bool] = func.like(name, literal(pattern.translate(_ESCAPED).replace("*", "%")))
    return like
