"""Articles gathered into topics by the words they share. Pure: no database, no settings, no clock."""

from digests.topics.gathering import Document, Gathered, Group, gather
from digests.topics.leads import lead_of

__all__ = ["Document", "Gathered", "Group", "gather", "lead_of"]
