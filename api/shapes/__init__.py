"""The shapes of responses: what the documentation promises and the routes send."""
