"""Full-text search with the same results on SQLite and PostgreSQL: one tokenizer, one query tree."""
