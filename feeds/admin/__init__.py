"""Feeds, sources and stories in the admin."""

from feeds.admin import feeds, stories

__all__ = ["feeds", "stories"]
