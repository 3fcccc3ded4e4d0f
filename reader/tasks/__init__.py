"""Tasks the worker runs for users; each translates ids and makes one call."""
