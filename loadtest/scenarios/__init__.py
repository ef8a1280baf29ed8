"""What the simulated fleet plays: scenarios in YAML, their truth, history and live traffic."""
