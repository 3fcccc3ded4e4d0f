"""A digest as a document."""
