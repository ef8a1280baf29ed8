"""Arithmetic and the questions that need it: what the stored facts say."""
