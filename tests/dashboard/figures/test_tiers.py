from dashboard.figures.tiers import by_importance, tier_bars
from dashboard.wording import wording
from tests.dashboard.answers import NOTHING_KNOWN, row

SAY = wording("en")
ROWS = [row("batch", "peak"), row("core", "off_peak"), row("core", "normal", rate=NOTHING_KNOWN), row("gold", "busy")]


def test_service_tiers_stand_in_order_of_importance_and_are_told_apart_by_hatch() -> None:
    traces = tier_bars(ROWS, SAY)["data"]
    assert [trace["name"] for trace in traces] == ["core", "batch", "gold"]
    assert len({trace["marker"]["pattern"]["shape"] for trace in traces}) == 3
    assert by_importance(ROWS)[0].load_tier == "off_peak"


def test_every_bar_has_its_interval_and_its_n() -> None:
    core, batch, _ = tier_bars(ROWS, SAY)["data"]
    ticks = tier_bars(ROWS, SAY)["layout"]["xaxis"]["ticktext"]
    assert ticks[0] == "off peak<br>core n=1,000<br><br>"
    assert ticks[3] == "peak<br><br>batch n=1,000<br>"
    assert tier_bars([row("core", "off_peak")], SAY)["layout"]["xaxis"]["ticktext"][0] == "off peak<br>n=1,000"
    assert batch["error_y"]["array"][0] > 0
    assert batch["error_y"]["arrayminus"][0] > 0
    assert "[%{customdata[0]:.3p}, %{customdata[1]:.3p}]" in batch["hovertemplate"]
    assert (core["y"][1], core["error_y"]["array"][1]) == (None, None)


def test_load_tiers_stand_in_order_whatever_is_missing() -> None:
    assert tier_bars(ROWS, SAY)["layout"]["xaxis"]["categoryarray"] == ["off peak", "normal", "busy", "peak"]
