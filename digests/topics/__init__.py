"""Clusters articles into topics by the words they share. Pure: no database, no settings, no clock."""

from digests.topics.dbscan import Clustering, Document, Group, cluster_documents

__all__ = ["Clustering", "Document", "Group", "cluster_documents"]
