"""Storing entries as articles, and purging old ones."""
