"""OTLP metrics, written from templates: a point is the same bytes each time but for its time and its value."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from loadtest.emission import wire
from loadtest.emission.sources import Attributes

Number = int | float
Rows = Sequence[Sequence[Number]]
_START, _TIME, _DOUBLE, _INTEGER = b"\x11", b"\x19", b"\x21", b"\x31"
_CUMULATIVE, _MONOTONIC = b"\x10\x02", b"\x18\x01"
_GAUGE, _SUM = 5, 7
_POINT_ATTRIBUTE = 7


@dataclass(frozen=True, slots=True)
class Series:
    """One time series.

    kind        `gauge`; `counter`: a cumulative sum that only grows; `up_down`: one that also falls
    is_integer  whether its points carry integers
    """

    name: str
    unit: str
    kind: Literal["gauge", "counter", "up_down"]
    attributes: Attributes = field(default_factory=dict)
    is_integer: bool = False


class _Point(NamedTuple):
    template: bytes
    layout: npt.DTypeLike


class _Metric(NamedTuple):
    head: bytes
    data_field: int
    tail: bytes
    columns: Sequence[int]


class MetricLayout:
    """The series of one source, in the order of its rows; series of one name stand side by side."""

    def __init__(self, series: Sequence[Series]) -> None:
        self.series = tuple(series)
        self._points = [_point(one) for one in self.series]
        self._metrics = [
            _metric(self.series, tuple(columns))
            for _, columns in groupby(range(len(self.series)), key=lambda column: self.series[column].name)
        ]

    def request(self, resource: bytes, scope: bytes, start_ns: int, times_ns: Sequence[int], rows: Rows) -> bytes:
        """An ExportMetricsServiceRequest of one source.

        resource, scope  fields as `wire.resource` and `wire.scope` write them
        start_ns         when its sums began
        times_ns, rows   (n,) and (n, series): when, and what was seen
        """
        columns = list(zip(*rows, strict=True))
        times = np.array(times_ns, np.uint64)
        points = [self._column(column, start_ns, times, columns[column]) for column in range(len(self.series))]
        metrics = b"".join(_written(metric, points) for metric in self._metrics)
        return wire.delimited(1, resource + wire.delimited(2, scope + metrics))

    def _column(self, column: int, start_ns: int, times: npt.NDArray[np.uint64], values: Sequence[Number]) -> bytes:
        point = self._points[column]
        written = bytearray(point.template * len(times))
        fields = np.frombuffer(written, point.layout)
        fields["time"] = times
        fields["value"] = values
        if self.series[column].kind != "gauge":
            fields["start"] = start_ns
        return bytes(written)


def _written(metric: _Metric, points: Sequence[bytes]) -> bytes:
    data = b"".join(points[column] for column in metric.columns) + metric.tail
    return wire.delimited(2, metric.head + wire.delimited(metric.data_field, data))


def _metric(series: Sequence[Series], columns: Sequence[int]) -> _Metric:
    first = series[columns[0]]
    head = wire.delimited(1, first.name.encode()) + wire.delimited(3, first.unit.encode())
    if first.kind == "gauge":
        return _Metric(head, _GAUGE, b"", columns)
    return _Metric(head, _SUM, _CUMULATIVE + (_MONOTONIC if first.kind == "counter" else b""), columns)


def _point(series: Series) -> _Point:
    """A point whose times and value are zero, and where they stand in it."""
    start = b"" if series.kind == "gauge" else _START + bytes(8)
    value = _INTEGER if series.is_integer else _DOUBLE
    told = b"".join(
        wire.delimited(_POINT_ATTRIBUTE, wire.key_value(key, value)) for key, value in series.attributes.items()
    )
    body = start + _TIME + bytes(8) + value + bytes(8) + told
    template = wire.delimited(1, body)
    first = len(template) - len(body)
    offsets = {"time": first + len(start) + 1, "value": first + len(start) + 10}
    formats = {"time": "<u8", "value": "<i8" if series.is_integer else "<f8"}
    if start:
        offsets["start"], formats["start"] = first + 1, "<u8"
    layout = np.dtype(
        {
            "names": list(offsets),
            "formats": [formats[name] for name in offsets],
            "offsets": list(offsets.values()),
            "itemsize": len(template),
        }
    )
    return _Point(template, layout)
