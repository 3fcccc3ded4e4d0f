"""Formats of dates and times, a package per language; Django's own apply to the others."""
