"""Control state in SQLite or PostgreSQL: small, transactional, one row at a time."""
