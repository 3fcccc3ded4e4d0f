"""Background tasks for feeds. Each takes ids and makes one call."""
