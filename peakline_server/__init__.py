"""The one place where parts meet: settings, command line, wiring, roles, start and stop order."""
