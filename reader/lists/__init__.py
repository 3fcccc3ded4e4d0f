"""Lists of articles: queries, counts, the sidebar."""
