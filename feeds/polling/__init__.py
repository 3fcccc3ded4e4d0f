"""Polling: which feeds are due, who polls them, and what is recorded of each poll."""
