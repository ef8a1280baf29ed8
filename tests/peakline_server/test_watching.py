"""Which changed files reach which part."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from peakline_server.change_log import ChangeLog
from peakline_server.configuration.loading import load
from peakline_server.configuration.serving import serve_settings
from peakline_server.settings import ServeSettings
from peakline_server.watching import Services, Watching
from tests.factories.guarded import Clock
from tests.peakline_server.test_change_log import Book
from vocabulary.pools import Pool
from vocabulary.services import ServiceBook

RULES = """rules:
  - id: near
    summary: near the line
    metric: load
    over: 60s
    line: {kind: fixed, at: AT, recovery: 0.5}
    for: 0s
    severity: warning
"""
ALIASES = "fields:\n  tenant: [{attribute: customer.code, convert: tenant}]\n"
SERVICES = "services:\n  - {service: chat, model: '*', tiers: {core: THRESHOLD}}\n"
CHAT = Pool("chat", "llama")


@dataclass
class Part:
    """Alerting, ingest and rollup in one: remembers what it was told to adopt."""

    adopted: list[Any] = field(default_factory=list)

    def take(self, content: object) -> None:
        self.adopted.append(content)

    adopt = adopt_aliases = adopt_services = take

    @property
    def rollup(self) -> "Part":
        return self


@dataclass
class House:
    folder: Path
    part: Part = field(default_factory=Part)
    book: Book = field(default_factory=Book)
    watching: Watching = field(init=False)
    services: Services = field(init=False)

    def __post_init__(self) -> None:
        self.write(at="0.9", threshold="0.01")
        settings = self.settings()
        part: Any = self.part
        self.services = Services(settings.services, part, part)
        log = ChangeLog(self.book, self.book, Clock())
        self.watching = Watching(settings, self.services, cast("Any", self.part), log, Clock())

    def write(self, at: str, threshold: str, port: int = 8600) -> None:
        (self.folder / "rules.yaml").write_text(RULES.replace("AT", at))
        (self.folder / "aliases.yaml").write_text(ALIASES)
        server = f"server: {{data: {self.folder}, port: {port}}}\n"
        files = "alerts: {rules_file: rules.yaml}\ningest: {alias_file: aliases.yaml}\n"
        (self.folder / "peakline.yaml").write_text(server + files + SERVICES.replace("THRESHOLD", threshold))

    def settings(self) -> ServeSettings:
        return serve_settings(load(self.folder / "peakline.yaml", {}, {}))


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    found = House(tmp_path)
    yield found
    found.watching.close()


def test_nothing_is_adopted_while_nothing_changes(house: House) -> None:
    house.watching.reload()
    assert (house.part.adopted, house.book.events) == ([], [])


def test_changed_rules_are_adopted_and_told(house: House) -> None:
    house.write(at="0.8", threshold="0.01")
    house.watching.reload()
    ((rule,),) = house.part.adopted
    assert rule.line.at == 0.8
    assert [event.subject for event in house.book.events] == ["alert rules"]


def test_rules_that_cannot_be_read_leave_the_old_ones_and_are_told(house: House) -> None:
    house.write(at="high", threshold="0.01")
    house.watching.reload()
    assert house.part.adopted == []
    assert list(house.watching.failing()) == ["alert rules"]
    assert "rules.yaml:6" in "".join(house.watching.problems())
    house.write(at="0.8", threshold="0.01")
    house.watching.reload()
    assert (list(house.watching.failing()), len(house.part.adopted)) == ([], 1)


def test_a_changed_alias_table_is_adopted(house: House) -> None:
    (house.folder / "aliases.yaml").write_text(ALIASES.replace("customer.code", "customer.id"))
    house.watching.reload()
    (tables,) = house.part.adopted
    assert "customer.id" in tables.by_attribute


def test_changed_services_reach_whoever_judges_counts_and_shows(house: House) -> None:
    house.write(at="0.9", threshold="0.002")
    house.watching.reload()
    assert house.services.book.threshold(CHAT, "core") == 0.002
    assert [type(one) for one in house.part.adopted] == [ServiceBook, ServiceBook]


def test_a_setting_that_waits_for_a_restart_says_so(house: House) -> None:
    house.write(at="0.9", threshold="0.01", port=8700)
    house.watching.reload()
    assert "server.port" in "".join(house.watching.problems())
    assert next(row.value for row in house.watching.rows() if row.name == "server.port") == "8600"
