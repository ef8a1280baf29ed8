"""The read API: a route asks a question and serialises the answer."""
