"""What an article is worth, 0–100, and why (SPEC §8, §11): pure, without Django, clock and settings."""
