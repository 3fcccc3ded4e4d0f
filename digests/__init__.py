"""What is sent: a window of articles, gathered into topics, ordered by importance, checked, shown and mailed once."""
