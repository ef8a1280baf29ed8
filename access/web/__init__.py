"""The HTTP side of access: the layer that every request passes, log-in with and without a provider, and its pages."""
