"""Load, defect rate and n over time, one above the other on one time axis."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from analyzer.questions.answers import OverviewPoint
from dashboard.clock_text import ClockText
from dashboard.figures.style import layout, rate_axis, value_axis
from dashboard.palette import AMBER_LINE, DEFECT, FIXED_LINE, GREY, LOAD, tint
from dashboard.wording import Wording
from vocabulary.pools import SECOND_NS, Window

HEIGHT = 430
AMBER_SHARE = 0.8
SETTLED_S = 120
Trace = dict[str, Any]


@dataclass(frozen=True, slots=True)
class WarningLine:
    """A warning line on load.

    rps      requests per second per ready replica
    kind     where the line comes from, `fixed` for example; said wherever the line is drawn
    rule_id  the rule that draws it
    """

    rps: float
    kind: str
    rule_id: str = ""

    def words(self, say: Wording) -> str:
        """What the line is called."""
        return say("chart.line", kind=say.known("line_kind", self.kind), rps=f"{self.rps:.3g}")


@dataclass(frozen=True, slots=True)
class Reading:
    """How the points are to be read.

    bucket_s           width of a bucket
    complete_until_ns  a bucket that ends later may still gain requests; None when all are complete
    is_per_pool        load is that of the whole pool, because nobody tells which replica served a request
    is_own             load is what some tenants add to it, for somebody limited to these
    """

    bucket_s: int = 60
    complete_until_ns: int | None = None
    is_per_pool: bool = False
    is_own: bool = False

    def is_complete(self, point: OverviewPoint) -> bool:
        """Whether the bucket has ended long enough ago."""
        return self.complete_until_ns is None or point.at_ns + self.bucket_s * SECOND_NS <= self.complete_until_ns

    def load_name(self, say: Wording) -> str:
        """What the load is called."""
        shared = "chart.load_pool" if self.is_per_pool else "chart.load"
        return say("chart.load_own" if self.is_own else shared)

    def axis_title(self, say: Wording) -> str:
        """What stands beside the axis of load."""
        shared = "axis.load_pool" if self.is_per_pool else "axis.load"
        return say("axis.load_own" if self.is_own else shared)

    def load_unit(self, say: Wording) -> str:
        """What the load is counted in."""
        return say("unit.rps_pool" if self.is_per_pool else "unit.rps_replica")


def timeline(
    points: Sequence[OverviewPoint],
    window: Window,
    lines: Sequence[WarningLine],
    clock: ClockText,
    say: Wording,
    reading: Reading | None = None,
) -> dict[str, Any]:
    """The figure over whole buckets; a bucket without a rate leaves a gap, never a zero.

    lines  all are drawn; the lowest, which comes first, has the amber zone below it
    """
    reading = reading or Reading()
    times = [clock.axis(point.at_ns) for point in points]
    traces = [
        *_interval_band(points, times, say),
        _defects(points, times, say),
        _load(points, times, say, reading),
        *_crossings(points, times, lines, reading),
        _requests(points, times, say, reading),
        *_incomplete(points, times, say, reading),
    ]
    return {"data": traces, "layout": _layout(window, points, lines, clock, say, reading)}


def _load(points: Sequence[OverviewPoint], times: list[str], say: Wording, reading: Reading) -> Trace:
    loads = [round(point.load_rps, 6) if reading.is_complete(point) else None for point in points]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": reading.load_name(say),
        "x": times,
        "y": loads,
        "yaxis": "y",
        "line": {"color": LOAD, "width": 1.8},
        "marker": {"color": LOAD, "size": alone(loads)},
        "fill": "tozeroy",
        "fillcolor": tint(LOAD, 0.12),
        "hovertemplate": "%{y:.3g} " + reading.load_unit(say) + f"<extra>{reading.load_name(say)}</extra>",
    }


def alone(values: Sequence[float | None]) -> list[int]:
    """Size of each point's marker: seen only where no line leads to a neighbour."""
    padded = [None, *values, None]
    return [
        6 if value is not None and before is None and after is None else 0
        for before, value, after in zip(padded, values, padded[2:], strict=False)
    ]


def _incomplete(points: Sequence[OverviewPoint], times: list[str], say: Wording, reading: Reading) -> list[Trace]:
    """Load of the newest buckets, dashed and lighter: requests are counted once they have ended, so it still rises."""
    fresh = [not reading.is_complete(point) for point in points]
    if not any(fresh):
        return []
    loads = [round(point.load_rps, 6) if is_fresh else None for point, is_fresh in zip(points, fresh, strict=True)]
    first = fresh.index(True)
    joined = [
        round(points[first - 1].load_rps, 6) if first and at == first - 1 else load for at, load in enumerate(loads)
    ]
    name = say("chart.incomplete")
    shared = {"type": "scatter", "x": times, "yaxis": "y", "name": name}
    pale = tint(LOAD, 0.55)
    told = "%{y:.3g} " + reading.load_unit(say) + f"<extra>{name}</extra>"
    return [
        {
            **shared,
            "mode": "lines",
            "y": joined,
            "line": {"color": pale, "width": 1.6, "dash": "dash"},
            "hoverinfo": "skip",
        },
        {
            **shared,
            "mode": "markers",
            "y": loads,
            "marker": {"color": pale, "size": 5, "symbol": "circle-open"},
            "hovertemplate": told,
        },
    ]


def _crossings(
    points: Sequence[OverviewPoint], times: list[str], lines: Sequence[WarningLine], reading: Reading
) -> list[Trace]:
    """The parts of the load at or above the lowest line, drawn again and heavier: what an alert was about."""
    if not lines:
        return []
    over = [
        round(point.load_rps, 6) if point.load_rps >= lines[0].rps and reading.is_complete(point) else None
        for point in points
    ]
    return [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "x": times,
            "y": over,
            "yaxis": "y",
            "connectgaps": False,
            "line": {"color": FIXED_LINE, "width": 2.6},
            "marker": {"color": FIXED_LINE, "size": 3},
            "hoverinfo": "skip",
        }
    ]


def _interval_band(points: Sequence[OverviewPoint], times: list[str], say: Wording) -> list[Trace]:
    """Low and high bounds of the 95 % interval, the area between them filled; interrupted where nothing is known."""
    shared = {"type": "scatter", "mode": "lines", "x": times, "yaxis": "y2", "line": {"width": 0}, "hoverinfo": "skip"}
    low = [_share(point, point.rate.interval.low) for point in points]
    high = [_share(point, point.rate.interval.high) for point in points]
    name = say("chart.interval")
    return [
        {**shared, "y": low, "name": name},
        {**shared, "y": high, "name": name, "fill": "tonexty", "fillcolor": tint(DEFECT, 0.2)},
    ]


def _defects(points: Sequence[OverviewPoint], times: list[str], say: Wording) -> Trace:
    return {
        "type": "scatter",
        "mode": "lines+markers" if len(points) < 80 or _has_lone_rate(points) else "lines",  # noqa: PLR2004 - marks only where they can be told apart
        "name": say("chart.defects"),
        "x": times,
        "y": [point.rate.rate for point in points],
        "yaxis": "y2",
        "line": {"color": DEFECT, "width": 1.6},
        "marker": {"size": 4, "symbol": "square"},
        "error_y": _lone_intervals(points),
        "customdata": [
            [point.rate.interval.low, point.rate.interval.high, point.rate.defective, point.rate.requests]
            for point in points
        ],
        "hovertemplate": "%{y:.3p} [%{customdata[0]:.3p}, %{customdata[1]:.3p}]"
        "<br>%{customdata[2]:,} / n = %{customdata[3]:,}" + f"<extra>{say('chart.defects')}</extra>",
    }


def _has_lone_rate(points: Sequence[OverviewPoint]) -> bool:
    return any(alone([point.rate.rate for point in points]))


def _lone_intervals(points: Sequence[OverviewPoint]) -> dict[str, Any]:
    """Whiskers where a rate has no neighbour and the band would have no width."""
    seen = [
        point.rate if size else None
        for point, size in zip(points, alone([point.rate.rate for point in points]), strict=True)
    ]
    above = [(rate.interval.high or 0) - (rate.rate or 0) if rate else None for rate in seen]
    below = [(rate.rate or 0) - (rate.interval.low or 0) if rate else None for rate in seen]
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below, "thickness": 1.4, "width": 5}


def _requests(points: Sequence[OverviewPoint], times: list[str], say: Wording, reading: Reading) -> Trace:
    return {
        "type": "bar",
        "name": "n",
        "x": times,
        "y": [point.requests for point in points],
        "yaxis": "y3",
        "width": reading.bucket_s * 920,
        "marker": {
            "color": [tint(GREY, 0.75 if reading.is_complete(point) else 0.35) for point in points],
            "line": {"width": 0},
        },
        "hovertemplate": "%{y:,} " + say("unit.requests") + "<extra>n</extra>",
    }


def _share(point: OverviewPoint, bound: float | None) -> float | None:
    return None if point.rate.rate is None else bound


def _layout(
    window: Window,
    points: Sequence[OverviewPoint],
    lines: Sequence[WarningLine],
    clock: ClockText,
    say: Wording,
    reading: Reading,
) -> dict[str, Any]:
    highest = max((point.load_rps for point in points), default=0.0)
    top = max(highest, *(line.rps for line in lines), 0.0) * 1.12 or 1.0
    return layout(
        HEIGHT,
        hovermode="x unified",
        hoversubplots="axis",
        dragmode="zoom",
        bargap=0.08,
        xaxis={
            "type": "date",
            "range": [clock.axis(window.start_ns), clock.axis(window.end_ns)],
            "anchor": "y3",
            "tickformatstops": _tick_formats(),
            "hoverformat": f"%Y-%m-%d %H:%M {clock.name}",
            "showspikes": True,
            "spikemode": "across",
            "spikethickness": 1,
            "spikedash": "dot",
            "spikecolor": GREY,
        },
        yaxis=value_axis(reading.axis_title(say), domain=[0.53, 1], range=[0, top]),
        yaxis2=rate_axis(say("axis.defects"), [point.rate for point in points], domain=[0.16, 0.48]),
        yaxis3=value_axis("n", domain=[0, 0.1], nticks=2, tickformat="~s"),
        shapes=_shapes(lines, top),
        annotations=_labels(lines, say),
    )


def _shapes(lines: Sequence[WarningLine], top: float) -> list[dict[str, Any]]:
    if not lines:
        return []
    across = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "yref": "y", "layer": "above"}
    lowest, amber = lines[0].rps, AMBER_SHARE * lines[0].rps
    drawn = [(line.rps, FIXED_LINE, "solid", 1.6) for line in lines] + [(amber, AMBER_LINE, "dash", 1.3)]
    zone = {**across, "type": "rect", "layer": "below", "line": {"width": 0}}
    return [
        {**zone, "y0": lowest, "y1": top, "fillcolor": tint(FIXED_LINE, 0.07)},
        {**zone, "y0": amber, "y1": lowest, "fillcolor": tint(AMBER_LINE, 0.08)},
        *(
            {**across, "y0": rps, "y1": rps, "line": {"color": colour, "dash": dash, "width": width}}
            for rps, colour, dash, width in drawn
        ),
    ]


def _labels(lines: Sequence[WarningLine], say: Wording) -> list[dict[str, Any]]:
    """The words of each line, with its rule where there are several."""
    if not lines:
        return []
    shared = {
        "xref": "paper",
        "x": 0.002,
        "xanchor": "left",
        "yref": "y",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 10},
    }
    rule = {line: f" · {line.rule_id}" if len(lines) > 1 else "" for line in lines}
    amber = AMBER_SHARE * lines[0].rps
    words = say("chart.amber_line", rps=f"{amber:.3g}")
    return [
        *({**shared, "y": line.rps, "text": line.words(say) + rule[line], "bordercolor": FIXED_LINE} for line in lines),
        {**shared, "y": amber, "text": words, "bordercolor": AMBER_LINE, "yanchor": "top"},
    ]


def _tick_formats() -> list[dict[str, Any]]:
    """ISO order on every zoom level, so that no locale and no month name can mislead."""
    minute, hour, day = 60_000, 3_600_000, 86_400_000
    return [
        {"dtickrange": [None, minute], "value": "%H:%M:%S\n%m-%d"},
        {"dtickrange": [minute, hour * 12], "value": "%H:%M\n%m-%d"},
        {"dtickrange": [hour * 12, day * 14], "value": "%m-%d\n%Y"},
        {"dtickrange": [day * 14, None], "value": "%Y-%m-%d"},
    ]


def complete_until(now_ns: int) -> int:
    """Buckets that ended before this are complete: most requests have ended, and the rollup has seen them."""
    return now_ns - SETTLED_S * SECOND_NS


def settled(points: Sequence[OverviewPoint], bucket_s: int, now_ns: int) -> list[OverviewPoint]:
    """Points without a bucket that has only begun: rollups lag, and it would look like a fall in load."""
    least_ns = min(bucket_s, SETTLED_S) * SECOND_NS
    return [point for point in points if now_ns - point.at_ns >= least_ns]
