"""Schema history of the control store, forward only."""
