"""The front page, refreshed through the day."""
