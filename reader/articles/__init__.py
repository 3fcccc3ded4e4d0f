"""What users do with articles, and what an article's page shows."""
