"""Files that people write: YAML that knows its lines."""
