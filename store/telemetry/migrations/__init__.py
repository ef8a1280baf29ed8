"""Schema history of the telemetry store, forward only."""
