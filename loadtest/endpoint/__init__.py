"""The simulated endpoint: the physics of the fleet in real time behind an OpenAI-compatible interface."""
