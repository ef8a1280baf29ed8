"""The only room that speaks SQL: telemetry in ClickHouse, control in SQLite or PostgreSQL."""
