"""Finds the feeds of a site."""
