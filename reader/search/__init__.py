"""Search: the query language, running queries, and saved searches."""
