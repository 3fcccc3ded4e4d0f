"""Full text search, the same on SQLite and PostgreSQL: one rule of words, one tree of what is looked for."""
