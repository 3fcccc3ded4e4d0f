"""Measuring quality on labelled files."""
