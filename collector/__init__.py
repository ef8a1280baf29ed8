"""The wire: OTLP and imports in, Arrow tables out; exactly once, nothing dropped uncounted."""
