"""Sending articles to other services."""
