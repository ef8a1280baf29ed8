"""Rules, their evaluation and their states: inactive, pending, firing, resolved."""
