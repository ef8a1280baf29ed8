from dataclasses import replace

from dashboard.house import Endpoints
from dashboard.panels.set_up import empty_state, lines, paste_blocks, switch_on, waiting_light
from dashboard.wording import wording
from store.contract import PoolActivity
from tests.dashboard.looking import ENDS, NoReader, house_of, hrefs, of_type, view_of, words
from tests.dashboard.people import LIMITED
from tests.dashboard.scenery import NOW_NS, POOL
from vocabulary.pools import MINUTE_NS

VIEW = view_of("/?range=1h")


def test_every_line_names_this_servers_endpoint() -> None:
    found = lines(ENDS)
    assert 'OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:4318"' in found["otel"]
    assert '--otlp-traces-endpoint "http://127.0.0.1:4318/v1/traces"' in found["vllm"]
    assert "peakline import azure-llm --endpoint http://127.0.0.1:8600" in found["import"]
    assert {"litellm", "node", "demo"} <= set(found)


def test_every_block_can_be_copied_as_it_stands() -> None:
    blocks = of_type(paste_blocks(ENDS, wording("zh")), "CopyText")
    assert [block.text for block in blocks] == list(lines(ENDS).values())
    assert all(block.block and block.texts["copy"] == "复制" for block in blocks)


def test_where_senders_must_show_a_token_every_block_says_how() -> None:
    told = lines(Endpoints("https://p:8600", "https://p:4318", wants_token=True))
    assert "--role ingest" in told["token"]
    assert all("TOKEN" in told[name] for name in ("otel", "vllm", "litellm", "node", "import"))
    assert not [text for text in lines(Endpoints("http://p:8600", "http://p:4318")).values() if "TOKEN" in text]


def test_access_is_switched_on_by_lines_that_can_be_pasted() -> None:
    text = switch_on(wording("en"), "/srv/it's here").text
    assert text.splitlines()[0] == """peakline users create NAME --role admin --data '/srv/it'"'"'s here'"""
    assert "access:\n  enabled: true" in text
    assert "--data DIR" in switch_on(wording("en"), "").text


def test_the_light_turns_once_data_have_come() -> None:
    assert "Waiting for the first span" in words(waiting_light(VIEW, None))
    lit = waiting_light(VIEW, NOW_NS)
    assert "Newest request: 2026-11-30 13:00:00 UTC" in words(lit)
    assert "is-on" in of_type(lit, "Span")[0].className


def test_a_limited_reader_waits_for_their_tenants_and_not_for_the_server() -> None:
    limited = view_of("/?range=1h", replace(house_of(NoReader()), principal=LIMITED))
    assert "Waiting for the first span of your tenants" in words(waiting_light(limited, None))
    assert "your tenants" not in words(waiting_light(VIEW, None))


def test_an_empty_page_points_to_older_data_where_there_are_any() -> None:
    newest = PoolActivity(POOL, 7, NOW_NS - 90 * MINUTE_NS, NOW_NS - 60 * MINUTE_NS)
    page = empty_state(VIEW, "Nothing", newest)
    assert "Older traffic is stored: chat-api / llama-4-70b-fp8" in words(page)
    assert "from=2026-11-30T11:30:00Z&to=2026-11-30T12:01:00Z" in hrefs(page)[0]
    assert "Waiting" in words(empty_state(VIEW, "Nothing", None))
