"""What a person's rules look for, and whether an article is that. Pure."""
