"""The one configuration of a server: peakline.yaml, environment variables and options, checked as a whole."""
