"""Routes by subject; each part has `add_to(router, house)` and only `def` routes, which run in threads."""
