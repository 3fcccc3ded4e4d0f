"""Scores articles, 0–100, and explains the scores (SPEC §8, §11)."""
