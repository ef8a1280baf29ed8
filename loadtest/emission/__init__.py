"""A run of the simulated fleet as telemetry: OTLP bytes, and the same through the OpenTelemetry SDK."""
