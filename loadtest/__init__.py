"""Load that Peakline makes itself: the simulated fleet."""
