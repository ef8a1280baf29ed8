"""Telemetry facts in ClickHouse, embedded or clustered."""
