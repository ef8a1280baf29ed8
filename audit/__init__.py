"""Snapshots, output basis, replay, evidence and the audit trail will live here; the room is empty yet."""
