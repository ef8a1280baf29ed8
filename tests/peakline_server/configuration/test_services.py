"""Service definitions of the file, as the rest of the product knows them."""

from peakline_server.configuration.services import service_book
from tests.peakline_server.configuration.conftest import Complain, Read
from vocabulary.outcomes import DEFECT_NAMES, DefectKind
from vocabulary.pools import Pool
from vocabulary.services import ALL_KINDS, Objectives, Prices, ServiceBook

TEXT = """
services:
- service: chat
  model: llama-*
  tiers: {core: 0.5%, gold: 0.001}
  defects: [error, slow]
  objectives: {ttft: 2s, e2e: 1m, tiers: {core: {ttft: 500ms}}}
  prices: {input_per_million: 3, cached_input_per_million: 0.3, output_per_million: 15, currency: EUR}
- {}
"""
POOL = Pool("chat", "llama-70b")


def test_a_definition_says_what_its_pools_promise(read: Read) -> None:
    book = service_book(read(TEXT).configuration.services)
    assert book.threshold(POOL, "core") == 0.005
    assert book.threshold(POOL, "gold") == 0.001
    assert book.counted(POOL) == DefectKind.ERROR | DefectKind.SLOW
    assert book.objectives(POOL, "general") == Objectives(2.0, 60.0)
    assert book.objectives(POOL, "core") == Objectives(0.5, 60.0)
    assert book.prices(POOL) == Prices(3.0, 15.0, 0.3, "EUR")


def test_what_is_left_out_stays_as_without_a_definition(read: Read) -> None:
    book = service_book(read(TEXT).configuration.services)
    other = Pool("embed", "m")
    assert book.counted(other) == ALL_KINDS
    assert book.objectives(other, "core") == Objectives()
    assert book.prices(other) is None
    assert service_book(read("").configuration.services) == ServiceBook()


def test_mistakes_in_a_definition_have_their_own_lines(complaints: Complain) -> None:
    assert complaints(
        "services:\n- modle: x\n- tiers: {core: 2}\n- defects: [eror]\n- defects: []\n- prices: {currency: USD}\n- 5\n"
    ) == [
        "2: services[0].modle: unknown key; did you mean 'model'?",
        "3: services[1].tiers.core: a share such as 0.005 or 0.5% is wanted here, from 0 to 1",
        f"4: services[2].defects[0]: one of {', '.join(DEFECT_NAMES)} is wanted here",
        "5: services[3].defects: one kind at least must count",
        "6: services[4].prices: 'input_per_million' is missing",
        "6: services[4].prices: 'output_per_million' is missing",
        "7: services[5]: `key: value` lines are wanted here",
    ]
