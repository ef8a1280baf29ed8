"""From OTLP bytes to the spans table: inflate, decode, normalise. No socket, no store, no clock."""
