"""A user's settings: language, time zone, shortcuts."""
