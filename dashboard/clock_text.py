"""Times as text: stored in UTC, shown in UTC or in the reader's zone, always with the zone's name."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ClockText:
    """Writes instants in one zone.

    zone  where times are shown
    name  what stands behind every time: UTC, or the zone's own name
    """

    zone: tzinfo
    name: str

    @classmethod
    def named(cls, zone_name: str) -> "ClockText":
        """The zone with this IANA name; UTC when it is unknown here."""
        if zone_name in {"", "UTC"}:
            return cls(UTC, "UTC")
        try:
            return cls(ZoneInfo(zone_name), zone_name)
        except (KeyError, ValueError, OSError):
            return cls(UTC, "UTC")

    @property
    def is_utc(self) -> bool:
        """Whether times are shown in UTC."""
        return self.name == "UTC"

    def at(self, at_ns: int) -> datetime:
        """The instant in this zone, cut to microseconds."""
        return (_EPOCH + timedelta(microseconds=at_ns // 1000)).astimezone(self.zone)

    def axis(self, at_ns: int) -> str:
        """For a chart's axis, which knows no zones: local wall time without an offset."""
        return self.at(at_ns).strftime("%Y-%m-%d %H:%M:%S")

    def minute(self, at_ns: int) -> str:
        """2026-11-30 13:05 UTC."""
        return f"{self.at(at_ns):%Y-%m-%d %H:%M} {self.name}"

    def minute_of_day(self, at_ns: int) -> str:
        """13:05 UTC, where the day is known."""
        return f"{self.at(at_ns):%H:%M} {self.name}"

    def second(self, at_ns: int) -> str:
        """2026-11-30 13:05:09 UTC."""
        return f"{self.at(at_ns):%Y-%m-%d %H:%M:%S} {self.name}"

    def precise(self, at_ns: int) -> str:
        """2026-11-30 13:05:09.123 UTC."""
        moment = self.at(at_ns)
        return f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1000:03d} {self.name}"

    def row(self, at_ns: int) -> str:
        """11-30 13:05:09.123, for a column whose head names the zone."""
        moment = self.at(at_ns)
        return f"{moment:%m-%d %H:%M:%S}.{moment.microsecond // 1000:03d}"

    def field(self, at_ns: int) -> str:
        """For an input beside which the zone is named: 2026-11-30 13:05, with seconds where they are not 0."""
        moment = self.at(at_ns)
        return moment.strftime("%Y-%m-%d %H:%M:%S" if moment.second else "%Y-%m-%d %H:%M")
