"""Who is asking, and what they may do: tokens, users, sessions, log-in, and the layer that every request passes."""
