"""Arithmetic: arrays in, small frozen dataclasses out; no I/O, no clock, no SQL."""
