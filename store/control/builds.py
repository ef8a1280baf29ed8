"""Pointers to committed builds of request_minutes: the one row that makes a build visible."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Engine, delete, insert, select

from store.control.tables import rollup_builds

KEPT = 1000


@dataclass(frozen=True, slots=True)
class Build:
    """A committed build.

    build         its number, from 1
    version       requests up to this commit_seq are in it
    minutes       (pool, minute) cells that it rebuilt
    committed_ns  when it became visible
    """

    build: int
    version: int
    minutes: int
    committed_ns: int


NO_BUILD = Build(build=0, version=0, minutes=0, committed_ns=0)


class Builds:
    """The rollup_builds table. Durable when a call returns."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def last(self) -> Build:
        """The newest committed build, NO_BUILD when there is none."""
        return self._newest()

    def last_before(self, at_ns: int) -> Build:
        """The newest build that was visible at a time, NO_BUILD when there was none."""
        return self._newest(rollup_builds.c.committed_ns <= at_ns)

    def _newest(self, *bounds: ColumnElement[bool]) -> Build:
        newest = select(rollup_builds).where(*bounds).order_by(rollup_builds.c.build.desc()).limit(1)
        with self._engine.connect() as connection:
            row = connection.execute(newest).one_or_none()
        return Build(**row._asdict()) if row else NO_BUILD

    def commit(self, build: Build) -> None:
        """Make a build the current one; pointers older than the last KEPT are dropped."""
        old = delete(rollup_builds).where(rollup_builds.c.build <= build.build - KEPT)
        with self._engine.begin() as connection:
            connection.execute(insert(rollup_builds).values(**{name: getattr(build, name) for name in build.__slots__}))
            connection.execute(old)
