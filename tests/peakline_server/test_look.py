"""Links and commands that lead to requests."""

from peakline_server.look import DEFAULT_SERVER, Look, whole_minutes
from peakline_server.program import program
from vocabulary.pools import MINUTE_NS, SECOND_NS, Window

DAY_NS = 86_400 * SECOND_NS
START_NS = 1_700_000_040 * SECOND_NS  # 2023-11-14T22:14:00Z
WINDOW = Window(START_NS, START_NS + MINUTE_NS)


def test_link_and_command_name_the_pool_and_both_ends() -> None:
    look = Look(DEFAULT_SERVER + "/", "azure-llm", "conv", WINDOW)
    ends = ("2023-11-14T22:14:00Z", "2023-11-14T22:15:00Z")
    assert look.link() == f"{DEFAULT_SERVER}/?service=azure-llm&model=conv&from={ends[0]}&to={ends[1]}"
    wanted = f"report tiers --service azure-llm --model conv --from {ends[0]} --to {ends[1]}"
    assert look.command() == f"{program()} {wanted}"


def test_a_load_test_needs_no_window_and_an_unknown_model_no_place() -> None:
    look = Look(DEFAULT_SERVER, "load-test", "", load_test="first run")
    assert look.link() == f"{DEFAULT_SERVER}/?load_test=first+run&service=load-test"
    assert look.command().endswith("tiers --load-test 'first run' --service load-test")


def test_another_server_is_named() -> None:
    assert Look("http://10.0.0.1:1", "s", "m").command().endswith("--server http://10.0.0.1:1")


def test_the_window_is_whole_minutes_and_at_most_400_days() -> None:
    assert whole_minutes(START_NS + 1, START_NS + 2) == WINDOW
    assert whole_minutes(START_NS, START_NS + MINUTE_NS) == Window(START_NS, START_NS + 2 * MINUTE_NS)
    long = whole_minutes(START_NS - 900 * DAY_NS, START_NS)
    assert long == Window(START_NS + MINUTE_NS - 400 * DAY_NS, START_NS + MINUTE_NS)
